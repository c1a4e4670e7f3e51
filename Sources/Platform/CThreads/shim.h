// What Swift cannot say itself about threads and their memory: attributes, signal masks, the variadic prctl, mallopt.
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

// A detached thread that takes no signals. stack_bytes: 0 for the system's default. Returns 0 or an errno.
static inline int ct_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes) {
    // A thread begins with the mask of the one that starts it.
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

// What /proc calls the calling thread; a wrapper of the system call is missing in some C libraries.
static inline int ct_thread_id(void) { return (int)syscall(SYS_gettid); }

// Names the calling thread; the system keeps 15 bytes.
static inline void ct_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline void ct_limit_arenas(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 4);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 512 << 10);
#endif
}

// Pages without anything in use, also those between blocks in use.
static inline void ct_trim_arenas(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
