// Socket functions that Swift cannot call or import directly: epoll's packed struct, eventfd, and the variadic fcntl
// and ioctl. Functions that can fail return a negative errno instead of setting errno, so that nothing can change the
// error before the caller reads it.
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// --- readiness ---

static inline int cs_epoll_create(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

// events: POLLIN, POLLOUT or 0 (epoll uses the same values). cs_epoll_wait returns the key.
static inline int cs_epoll_set(int epoll, int fd, uint32_t events, uint64_t key, int isNew) {
    struct epoll_event event = {.events = events, .data = {.u64 = key}};
    return epoll_ctl(epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) ? -errno : 0;
}

// Returns at most 256 events per call. keys and events must have room for `capacity` elements.
static inline int cs_epoll_wait(int epoll, uint64_t *keys, uint32_t *events, int capacity, int milliseconds) {
    struct epoll_event ready[256];
    int count = epoll_wait(epoll, ready, capacity < 256 ? capacity : 256, milliseconds);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        keys[i] = ready[i].data.u64;
        events[i] = ready[i].events;
    }
    return count;
}

static inline int cs_eventfd_create(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static inline void cs_eventfd_signal(int fd) {
    uint64_t one = 1;
    if (write(fd, &one, sizeof one) < 0) { /* full counter: the reader is awake anyway */ }
}

static inline void cs_eventfd_clear(int fd) {
    uint64_t count;
    if (read(fd, &count, sizeof count) < 0) { /* nothing was there */ }
}

// --- sockets ---

// host: a numeric IPv4 or IPv6 address; for any other text, returns -EINVAL. The socket is non-blocking and not
// inherited.
static inline int cs_listen(const char *host, uint16_t port, int backlog) {
    struct addrinfo hint, *found = 0;
    char text[8];
    memset(&hint, 0, sizeof hint);
    hint.ai_socktype = SOCK_STREAM;
    hint.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
    snprintf(text, sizeof text, "%u", (unsigned)port);
    if (getaddrinfo(host, text, &hint, &found)) return -EINVAL;
    int error = 0, one = 1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        error = errno;
    } else {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, backlog)) {
            error = errno;
            close(fd);
        }
    }
    freeaddrinfo(found);
    return error ? -error : fd;
}

static inline int cs_local_port(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length)) return -errno;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
}

// peer: receives a 16-byte address, IPv4 as ::ffff:a.b.c.d. Returns -EAGAIN if no connection is waiting.
static inline int cs_accept(int listener, uint8_t *peer) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int one = 1;
    int fd = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return -errno;
    memset(peer, 0, 16);
    if (address.ss_family == AF_INET) {
        peer[10] = peer[11] = 0xff;
        memcpy(peer + 12, &((struct sockaddr_in *)&address)->sin_addr, 4);
    } else if (address.ss_family == AF_INET6) {
        memcpy(peer, &((struct sockaddr_in6 *)&address)->sin6_addr, 16);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static inline ssize_t cs_receive(int fd, void *bytes, size_t capacity) {
    ssize_t count = recv(fd, bytes, capacity, 0);
    return count < 0 ? -errno : count;
}

// Returns -EPIPE if the peer is gone, and does not raise SIGPIPE. more: whether more bytes follow immediately.
static inline ssize_t cs_send(int fd, const void *bytes, size_t count, int more) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    return sent < 0 ? -errno : sent;
}

static inline void cs_close(int fd) { close(fd); }

// Makes closing this connection send a reset instead of an orderly shutdown.
static inline void cs_reset_when_closed(int fd) {
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

// Whether a connection is waiting to be accepted.
static inline int cs_has_waiting(int listener) {
    struct pollfd entry = {.fd = listener, .events = POLLIN};
    return poll(&entry, 1, 0) > 0;
}

// Shuts down the output. The peer receives the bytes in transit and then the end of the stream.
static inline void cs_end_output(int fd) { shutdown(fd, SHUT_WR); }

// Returns the number of bytes waiting to be read.
static inline int cs_pending(int fd) {
    int count = 0;
    return ioctl(fd, FIONREAD, &count) ? 0 : count;
}

// text: a numeric IPv4 or IPv6 address. address: receives 16 bytes, IPv4 as ::ffff:a.b.c.d. Returns 4, 6 or -EINVAL.
static inline int cs_parse_address(const char *text, uint8_t *address) {
    memset(address, 0, 16);
    if (inet_pton(AF_INET, text, address + 12) == 1) {
        address[10] = address[11] = 0xff;
        return 4;
    }
    return inet_pton(AF_INET6, text, address) == 1 ? 6 : -EINVAL;
}

// buffer: must have room for at least 46 bytes.
static inline void cs_format_address(const uint8_t *address, int isIPv6, char *buffer) {
    buffer[0] = 0;
    inet_ntop(isIPv6 ? AF_INET6 : AF_INET, isIPv6 ? address : address + 12, buffer, 46);
}
