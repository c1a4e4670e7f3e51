// The only deprecated part of libcrypto in this project: the table of multiples of a group's generator. It has been
// deprecated since OpenSSL 3.0 without a replacement, and still works in 4.0. No OpenSSL header is included. The two
// functions are declared as weak in this header, so that the program can be built with OPENSSL_NO_DEPRECATED and
// started with a libcrypto that lacks them.
#ifndef COPENSSL_FIXED_KEY_H
#define COPENSSL_FIXED_KEY_H

struct ec_group_st;
struct bignum_ctx;

int EC_GROUP_precompute_mult(struct ec_group_st *group, struct bignum_ctx *context) __attribute__((weak));
int EC_GROUP_have_precompute_mult(const struct ec_group_st *group) __attribute__((weak));

// Computes the multiples of the generator and stores them in `group`. Returns 1 if they will be used, 0 on failure, and
// -1 if this libcrypto does not support such tables.
static inline int fixed_key_precompute(struct ec_group_st *group, struct bignum_ctx *context) {
    if (!EC_GROUP_precompute_mult || !EC_GROUP_have_precompute_mult) return -1;
    if (EC_GROUP_precompute_mult(group, context) != 1) return 0;
    return EC_GROUP_have_precompute_mult(group) == 1 ? 1 : -1;
}

#endif
