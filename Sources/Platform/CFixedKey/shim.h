// The one deprecated part of libcrypto that this project uses: the table of multiples of a group's generator. Deprecated
// since OpenSSL 3.0, without a replacement, and in effect up to 4.0 at least.
// Nothing of OpenSSL is included: the two functions are declared here and weakly, so that neither a header with
// OPENSSL_NO_DEPRECATED nor a libcrypto without them keeps the program from being built or started.
#ifndef CFIXEDKEY_SHIM_H
#define CFIXEDKEY_SHIM_H

struct ec_group_st;
struct bignum_ctx;

int EC_GROUP_precompute_mult(struct ec_group_st *group, struct bignum_ctx *context) __attribute__((weak));
int EC_GROUP_have_precompute_mult(const struct ec_group_st *group) __attribute__((weak));

// Computes the multiples of `group`'s generator and keeps them in it. Returns 1 when they will be used, 0 for a failure,
// -1 where this libcrypto cannot do it.
static inline int fixed_key_precompute(struct ec_group_st *group, struct bignum_ctx *context) {
    if (!EC_GROUP_precompute_mult || !EC_GROUP_have_precompute_mult) return -1;
    if (EC_GROUP_precompute_mult(group, context) != 1) return 0;
    return EC_GROUP_have_precompute_mult(group) == 1 ? 1 : -1;
}

#endif
