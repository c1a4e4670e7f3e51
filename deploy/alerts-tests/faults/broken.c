// A preloaded library that makes libcrypto fail to verify signatures while the file named by BROKEN exists: it replaces
// EVP_PKEY_verify, and returns the result of OpenSSL without memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

typedef int verify(void *context, const unsigned char *signature, size_t length, const unsigned char *digest, size_t size);

int EVP_PKEY_verify(void *context, const unsigned char *signature, size_t length, const unsigned char *digest, size_t size) {
    const char *path = getenv("BROKEN");
    if (path && access(path, F_OK) == 0) return -1;
    return ((verify *)dlsym(RTLD_NEXT, "EVP_PKEY_verify"))(context, signature, length, digest, size);
}
