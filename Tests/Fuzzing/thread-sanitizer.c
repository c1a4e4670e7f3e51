// Annotations that the thread sanitizer needs for this program. Only run-sanitizers links this file. It is compiled
// with the toolchain's clang, which supports Swift's calling convention.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// MARK: Swift's Mutex
//
// An uncontended Mutex is locked in instrumented code. A contended one is locked and unlocked inside
// libswiftSynchronization, which is not instrumented: the sanitizer sees no order between the two owners, and would
// report every contended Mutex.

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void (*lock_slow)(uint32_t, SELF void *);
typedef SWIFT void (*unlock_slow)(SELF void *);
typedef SWIFT bool (*try_lock_slow)(SELF void *);

SWIFT void mutex_lock_slow(uint32_t thread, SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void mutex_unlock_slow(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT bool mutex_try_lock_slow(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void mutex_lock_slow(uint32_t thread, SELF void *mutex) {
    ((lock_slow)original("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void mutex_unlock_slow(SELF void *mutex) {
    __tsan_release(mutex);
    ((unlock_slow)original("$s15Synchronization12_MutexHandleV11_unlockSlowyyF"))(mutex);
}

SWIFT bool mutex_try_lock_slow(SELF void *mutex) {
    bool locked = ((try_lock_slow)original("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"))(mutex);
    if (locked) __tsan_acquire(mutex);
    return locked;
}

// MARK: inout accesses
//
// The compiler also announces each inout access. For a zero-size value, such as SystemRandomNumberGenerator, the
// address is arbitrary, and the sanitizer crashes when it reads there. Reads and writes are instrumented separately, so
// these calls can be ignored. (--wrap redirects them here.)

void __wrap___tsan_external_write(void *address, void *caller, void *tag) {
    (void)address, (void)caller, (void)tag;
}

// MARK: C11's threads
//
// librdkafka is built with them. A thread whose start the sanitizer has not seen crashes in its first intercepted call,
// and locks that it does not see establish no order. glibc uses the POSIX types (nptl/threads.h).

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is not a pthread_mutex_t");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is not a pthread_cond_t");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "thrd_t is not a pthread_t");

struct start {
    thrd_start_t function;
    void *argument;
};

static int result(int error) {
    switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
    }
}

static void *begin(void *pointer) {
    struct start start = *(struct start *)pointer;
    free(pointer);
    return (void *)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start) return thrd_nomem;
    start->function = function;
    start->argument = argument;
    int error = pthread_create((pthread_t *)thread, NULL, begin, start);
    if (error) free(start);
    return result(error);
}

int thrd_join(thrd_t thread, int *value) {
    void *returned = NULL;
    int error = pthread_join((pthread_t)thread, &returned);
    if (value) *value = (int)(intptr_t)returned;
    return result(error);
}

int thrd_detach(thrd_t thread) { return result(pthread_detach((pthread_t)thread)); }

int mtx_init(mtx_t *mutex, int kind) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (kind & mtx_recursive) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    int error = pthread_mutex_init((pthread_mutex_t *)mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return result(error);
}

void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy((pthread_mutex_t *)mutex); }
int mtx_lock(mtx_t *mutex) { return result(pthread_mutex_lock((pthread_mutex_t *)mutex)); }
int mtx_trylock(mtx_t *mutex) { return result(pthread_mutex_trylock((pthread_mutex_t *)mutex)); }
int mtx_unlock(mtx_t *mutex) { return result(pthread_mutex_unlock((pthread_mutex_t *)mutex)); }

int cnd_init(cnd_t *condition) { return result(pthread_cond_init((pthread_cond_t *)condition, NULL)); }
void cnd_destroy(cnd_t *condition) { pthread_cond_destroy((pthread_cond_t *)condition); }
int cnd_signal(cnd_t *condition) { return result(pthread_cond_signal((pthread_cond_t *)condition)); }
int cnd_broadcast(cnd_t *condition) { return result(pthread_cond_broadcast((pthread_cond_t *)condition)); }

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return result(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *time) {
    return result(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, time));
}
