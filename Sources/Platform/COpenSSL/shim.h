// Makes libcrypto usable from Swift, with static inline functions for everything that Swift cannot call directly:
// macros, variadic functions, STACK_OF, OSSL_PARAM arrays (they contain pointers, so each is created and destroyed
// within one function), and ASN1_STRING and related types (visible structs in OpenSSL 3 but opaque in OpenSSL 4, so
// they are never passed to Swift). It contains no policy: Swift makes every decision. Unless stated otherwise,
// functions that can fail return 1 for success.
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// Makes every use of a deprecated function a compile error.
#define OPENSSL_NO_DEPRECATED

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/ocsp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

// MARK: Process

// OPENSSL_INIT_NO_ATEXIT is a macro with a cast.
static inline int shim_init_without_exit_handler(void) { return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

// OPENSSL_free is a macro that adds the file and the line. Frees memory from i2d_….
static inline void shim_free(void *memory) { OPENSSL_free(memory); }

// ERR_GET_LIB and ERR_GET_REASON are inline functions over macros.
static inline int shim_error_is_ocsp_signature_failure(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_OCSP && ERR_GET_REASON(error) == OCSP_R_SIGNATURE_FAILURE;
}

// BIO_get_mem_data is a macro over BIO_ctrl. The bytes belong to the BIO.
static inline long shim_bio_bytes(BIO *bio, const unsigned char **bytes) {
    char *start = NULL;
    long count = BIO_get_mem_data(bio, &start);
    *bytes = (const unsigned char *)start;
    return count;
}

// MARK: Constants that some OpenSSL versions define through other macros

static const uint32_t SHIM_KEY_USAGE_DIGITAL_SIGNATURE = KU_DIGITAL_SIGNATURE;
static const uint32_t SHIM_KEY_USAGE_KEY_CERT_SIGN = KU_KEY_CERT_SIGN;

// MARK: STACK_OF(X509)

static inline STACK_OF(X509) *shim_stack_new(void) { return sk_X509_new_null(); }
// Stores the pointer without taking a reference. Returns the new count, or 0 on failure.
static inline int shim_stack_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
static inline int shim_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
// The result is borrowed from the stack.
static inline X509 *shim_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
// Frees the stack but not the certificates.
static inline void shim_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

// MARK: Time, in seconds since 1970

// Accepts only the two formats of RFC 5280 4.1.2.5: YYMMDDHHMMSSZ and YYYYMMDDHHMMSSZ.
static inline int shim_time_seconds(const ASN1_STRING *time, int64_t *seconds) {
    if (time == NULL) return 0;
    int count = ASN1_STRING_length(time), type = ASN1_STRING_type(time);
    if (!(type == V_ASN1_UTCTIME && count == 13) && !(type == V_ASN1_GENERALIZEDTIME && count == 15)) return 0;
    const unsigned char *text = ASN1_STRING_get0_data(time);
    for (int i = 0; i < count - 1; i++)
        if (text[i] < '0' || text[i] > '9') return 0;
    struct tm parts;
    if (text[count - 1] != 'Z' || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    *seconds = (int64_t)timegm(&parts);
    return 1;
}
static inline int shim_get_validity(const X509 *certificate, int64_t *not_before, int64_t *not_after) {
    return shim_time_seconds(X509_get0_notBefore(certificate), not_before) &&
           shim_time_seconds(X509_get0_notAfter(certificate), not_after);
}
static inline int shim_set_validity(X509 *certificate, int64_t not_before, int64_t not_after) {
    ASN1_TIME *time = ASN1_TIME_new();
    int done = time != NULL && ASN1_TIME_set(time, (time_t)not_before) != NULL &&
               X509_set1_notBefore(certificate, time) == 1 && ASN1_TIME_set(time, (time_t)not_after) != NULL &&
               X509_set1_notAfter(certificate, time) == 1;
    ASN1_TIME_free(time);
    return done;
}

// MARK: Serial number, names, extensions

// Writes at most `size` unsigned big-endian bytes. Returns the count, or -1 if the number does not fit or is negative.
static inline int shim_integer_bytes(const ASN1_INTEGER *integer, unsigned char *out, int size) {
    BIGNUM *number = ASN1_INTEGER_to_BN(integer, NULL);
    int count = number == NULL || BN_is_negative(number) ? -1 : BN_num_bytes(number);
    if (count > size) count = -1;
    if (count > 0) BN_bn2bin(number, out);
    BN_free(number);
    return count;
}
static inline int shim_get_serial(const X509 *certificate, unsigned char *out, int size) {
    return shim_integer_bytes(X509_get0_serialNumber(certificate), out, size);
}
static inline int shim_set_serial(X509 *certificate, const unsigned char *bytes, int count) {
    BIGNUM *number = BN_bin2bn(bytes, count, NULL);
    int done = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return done;
}
// MBSTRING_UTF8 is a macro that contains a shift.
static inline int shim_name_add(X509_NAME *name, const char *field, const char *utf8) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)utf8, -1, -1, 0);
}
// XN_FLAG_RFC2253 is an expression composed of macros.
static inline int shim_name_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0;
}
static inline int shim_extension_count(const X509 *certificate, const ASN1_OBJECT *oid) {
    int count = 0;
    for (int at = -1; (at = X509_get_ext_by_OBJ(certificate, oid, at)) >= 0;) count++;
    return count;
}
static inline int shim_add_extension(
    X509 *certificate, const ASN1_OBJECT *oid, int critical, const unsigned char *der, int count) {
    ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
    X509_EXTENSION *extension = NULL;
    if (value != NULL && ASN1_OCTET_STRING_set(value, der, count) == 1)
        extension = X509_EXTENSION_create_by_OBJ(NULL, oid, critical, value);
    int done = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    ASN1_OCTET_STRING_free(value);
    return done;
}
// Writes, as a C string, the certificate's first OCSP responder URL that begins with http:// and fits.
static inline int shim_ocsp_url(X509 *certificate, char *out, size_t size) {
    STACK_OF(OPENSSL_STRING) *all = X509_get1_ocsp(certificate);
    int found = 0;
    for (int i = 0; all != NULL && i < sk_OPENSSL_STRING_num(all) && !found; i++) {
        const char *url = sk_OPENSSL_STRING_value(all, i);
        size_t count = strlen(url);
        if (strncmp(url, "http://", 7) != 0 || count >= size) continue;
        memcpy(out, url, count + 1);
        found = 1;
    }
    X509_email_free(all);
    return found;
}

// MARK: Keys

// Creates a key from 04 || x || y on the named curve. Returns NULL for the point at infinity and for points off the
// curve.
static inline EVP_PKEY *shim_p256_public_key(const unsigned char point[65]) {
    char group[] = "prime256v1";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65), OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = point[0] == 4 ? EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL) : NULL;
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}
// OSSL_PKEY_PARAM_… are string macros that OpenSSL 3.5 moved to a generated header.
static inline int shim_ec_point(const EVP_PKEY *key, unsigned char *out, size_t size, size_t *count) {
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, out, size, count);
}
// Returns 1 only if the key names its curve and has no explicit parameters.
static inline int shim_ec_is_named(const EVP_PKEY *key) {
    int is_explicit = 1;
    return EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &is_explicit) == 1 &&
           is_explicit == 0;
}
// A password callback that always refuses. With NULL, OpenSSL would prompt on the terminal.
static inline int shim_no_password(char *out, int size, int writing, void *context) {
    (void)out, (void)size, (void)writing, (void)context;
    return -1;
}
static inline EVP_PKEY *shim_pem_private_key(BIO *bio) {
    return PEM_read_bio_PrivateKey_ex(bio, NULL, shim_no_password, NULL, NULL, NULL);
}

static inline int shim_error_is_end_of_pem(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// MARK: Keyed algorithms: OSSL_PARAM arrays hold pointers

// HKDF (RFC 5869) with SHA-256, extract and expand. The salt may be empty, but the key may not.
static inline int shim_hkdf_sha256(
    EVP_KDF *hkdf, const unsigned char *key, size_t key_count, const unsigned char *salt, size_t salt_count,
    const unsigned char *info, size_t info_count, unsigned char *out, size_t count) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[5], *next = parameters;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count);
    if (salt_count > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
    if (info_count > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
    *next = OSSL_PARAM_construct_end();
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(hkdf);
    int done = context != NULL && EVP_KDF_derive(context, out, count, parameters) == 1;
    EVP_KDF_CTX_free(context);
    return done;
}
static inline int shim_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t count) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
    return EVP_MAC_init(context, key, count, parameters);
}

// MARK: OCSP

typedef struct {
    int status;  // V_OCSP_CERTSTATUS_…
    int reason;  // -1 when absent
    int has_revoked_at, has_next_update, has_critical_extension;
    int64_t revoked_at, this_update, next_update;
} shim_ocsp_single;

// Returns 1 if found, 0 if no single response contains exactly this id, and -1 if a time does not have an RFC 5280
// format.
static inline int shim_ocsp_find(OCSP_BASICRESP *basic, OCSP_CERTID *id, shim_ocsp_single *out) {
    ASN1_GENERALIZEDTIME *revoked = NULL, *this_update = NULL, *next_update = NULL;
    memset(out, 0, sizeof *out);
    int at = OCSP_resp_find(basic, id, -1);
    OCSP_SINGLERESP *single = at < 0 ? NULL : OCSP_resp_get0(basic, at);
    if (single == NULL) return 0;
    out->reason = -1;
    out->status = OCSP_single_get0_status(single, &out->reason, &revoked, &this_update, &next_update);
    out->has_critical_extension = OCSP_SINGLERESP_get_ext_by_critical(single, 1, -1) >= 0;
    out->has_revoked_at = revoked != NULL;
    out->has_next_update = next_update != NULL;
    if (!shim_time_seconds(this_update, &out->this_update)) return -1;
    if (next_update != NULL && !shim_time_seconds(next_update, &out->next_update)) return -1;
    if (revoked != NULL && !shim_time_seconds(revoked, &out->revoked_at)) return -1;
    return 1;
}
static inline int shim_ocsp_signature_nid(const OCSP_BASICRESP *basic) {
    const ASN1_OBJECT *oid = NULL;
    X509_ALGOR_get0(&oid, NULL, NULL, OCSP_resp_get0_tbs_sigalg(basic));
    return OBJ_obj2nid(oid);
}
// Writes the serial number in an id, in the same format as shim_get_serial.
static inline int shim_ocsp_id_serial(OCSP_CERTID *id, unsigned char *out, int size) {
    ASN1_INTEGER *serial = NULL;
    if (OCSP_id_get0_info(NULL, NULL, NULL, &serial, id) != 1) return -1;
    return shim_integer_bytes(serial, out, size);
}
// Whether the id, regardless of its digest, refers to a certificate from this issuer.
static inline int shim_ocsp_id_is_of_issuer(OCSP_CERTID *id, const X509 *issuer) {
    ASN1_OBJECT *oid = NULL;
    ASN1_INTEGER *serial = NULL;
    if (OCSP_id_get0_info(NULL, &oid, NULL, &serial, id) != 1) return 0;
    const EVP_MD *digest = EVP_get_digestbyobj(oid);
    if (digest == NULL) return 0;
    OCSP_CERTID *own = OCSP_cert_id_new(
        digest, X509_get_subject_name(issuer), X509_get0_pubkey_bitstr(issuer), serial);
    int same = own != NULL && OCSP_id_issuer_cmp(own, id) == 0;
    OCSP_CERTID_free(own);
    return same;
}
// A next_update of 0 is omitted.
static inline int shim_ocsp_add_status(
    OCSP_BASICRESP *basic, OCSP_CERTID *id, int status, int reason, int64_t revoked_at, int64_t this_update,
    int64_t next_update) {
    ASN1_TIME *revoked = NULL, *current = ASN1_GENERALIZEDTIME_set(NULL, (time_t)this_update), *next = NULL;
    if (status == V_OCSP_CERTSTATUS_REVOKED) revoked = ASN1_GENERALIZEDTIME_set(NULL, (time_t)revoked_at);
    if (next_update != 0) next = ASN1_GENERALIZEDTIME_set(NULL, (time_t)next_update);
    int done = current != NULL && OCSP_basic_add1_status(basic, id, status, reason, revoked, current, next) != NULL;
    ASN1_TIME_free(revoked);
    ASN1_TIME_free(current);
    ASN1_TIME_free(next);
    return done;
}

#endif
