// A preloaded library that gives one process other clocks than the machine's: it adds the two numbers of seconds in the
// file named by CLOCK_SHIFT, one to the time of day, one to monotonic clocks. The file is mapped, so that clocks can be
// changed while the process runs. librdkafka reads the time of day by timespec_get, so it waits by the machine's clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *memory = file >= 0 ? mmap(NULL, 2 * sizeof *shift, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) _exit(78);
    close(file);
    shift = memory;
}

static int64_t wall(void) { return shift ? shift[0] : 0; }
static int64_t monotonic(void) { return shift ? shift[1] : 0; }

static int64_t shifted(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: return wall();
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME: return monotonic();
    default: return 0;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0) time->tv_sec += shifted(clock);
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, time, zone);
    if (result == 0) time->tv_sec += wall();
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// Deadlines are in shifted time; the kernel compares them with the machine's time.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    int (*next)(sem_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec actual = *deadline;
    actual.tv_sec -= wall();
    return next(semaphore, &actual);
}

static _Atomic unsigned char clocks[4096];

int timerfd_create(clockid_t clock, int flags) {
    int timer = (int)syscall(SYS_timerfd_create, clock, flags);
    if (timer >= 0 && timer < 4096) clocks[timer] = (unsigned char)clock;
    return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *former) {
    struct itimerspec actual = *value;
    // A deadline of 0 ends the timer, and one that is over is still a deadline.
    if (flags & TFD_TIMER_ABSTIME && (actual.it_value.tv_sec || actual.it_value.tv_nsec) && timer >= 0 && timer < 4096) {
        actual.it_value.tv_sec -= shifted(clocks[timer]);
        if (actual.it_value.tv_sec < 0) actual.it_value = (struct timespec){0, 1};
    }
    return (int)syscall(SYS_timerfd_settime, timer, flags, &actual, former);
}
