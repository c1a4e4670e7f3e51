// Functions for threads and their memory that Swift cannot call directly: attributes, signal masks, the variadic prctl,
// and mallopt.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Starts a detached thread with all signals blocked. A stack_bytes of 0 means the system's default. Returns 0 or an
// errno.
static inline int ct_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes) {
    // A new thread inherits the signal mask of the thread that creates it.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes) pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_t thread;
    int error = pthread_create(&thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    return error;
}

// Returns the id of the calling thread, as in /proc. Some C libraries have no wrapper for this system call.
static inline int ct_thread_id(void) { return (int)syscall(SYS_gettid); }

// Names the calling thread. The system truncates the name to 15 bytes.
static inline void ct_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline void ct_limit_arenas(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 4);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 512 << 10);
#endif
}

// Releases unused pages, including those between blocks in use.
static inline void ct_trim_arenas(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
