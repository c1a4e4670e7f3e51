#define _GNU_SOURCE
#include "CFixedPort.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

static __thread uint16_t next_port;

static __thread uint32_t next_address;

void fixed_port_set_next(uint16_t port) { next_port = port; }

void fixed_port_set_address(uint32_t address) { next_address = address; }

uint32_t fixed_port_resolve(const char *host) {
    struct addrinfo hint, *found = NULL;
    memset(&hint, 0, sizeof hint);
    hint.ai_family = AF_INET;
    hint.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, NULL, &hint, &found) || !found) return 0;
    uint32_t address = ((const struct sockaddr_in *)found->ai_addr)->sin_addr.s_addr;
    freeaddrinfo(found);
    return address;
}

typedef int (*bind_function)(int, const struct sockaddr *, socklen_t);

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    // Looked up each time, because binding is rare and a cached pointer would have to be shared between threads.
    bind_function real = (bind_function)dlsym(RTLD_NEXT, "bind");
    if (!real) {
        errno = ENOSYS;
        return -1;
    }
    if ((next_port == 0 && next_address == 0) || !address || length < sizeof(struct sockaddr_in) || address->sa_family != AF_INET)
        return real(descriptor, address, length);

    struct sockaddr_in chosen = *(const struct sockaddr_in *)address;
    if (next_address) chosen.sin_addr.s_addr = next_address;
    if (next_port == 0) {
        if (real(descriptor, (const struct sockaddr *)&chosen, sizeof chosen) == 0) return 0;
        return real(descriptor, address, length);
    }
    chosen.sin_port = htons(next_port++);
    // A broker that was just stopped leaves connections in TIME_WAIT, which must not prevent it from starting again.
    // Two listeners on the same port are still refused.
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (real(descriptor, (const struct sockaddr *)&chosen, sizeof chosen) == 0) return 0;
    return real(descriptor, address, length);
}
