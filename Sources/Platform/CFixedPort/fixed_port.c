#define _GNU_SOURCE
#include "CFixedPort.h"

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

static __thread uint16_t next_port;

void fixed_port_set_next(uint16_t port) { next_port = port; }

typedef int (*bind_function)(int, const struct sockaddr *, socklen_t);

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    // Looked up each time: binding is rare, and a cached pointer would have to be shared between threads.
    bind_function real = (bind_function)dlsym(RTLD_NEXT, "bind");
    if (!real) {
        errno = ENOSYS;
        return -1;
    }
    if (next_port == 0 || !address || length < sizeof(struct sockaddr_in) || address->sa_family != AF_INET)
        return real(descriptor, address, length);

    struct sockaddr_in chosen = *(const struct sockaddr_in *)address;
    chosen.sin_port = htons(next_port++);
    // A broker that was just stopped leaves connections in TIME_WAIT, which must not keep it from starting again. Two
    // listeners on one port are still refused.
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (real(descriptor, (const struct sockaddr *)&chosen, sizeof chosen) == 0) return 0;
    return real(descriptor, address, length);
}
