import Foundation
import TestSupport
import Testing

/// A separate wall clock for an executable. A preloaded library offsets or replaces the time that the program itself
/// reads; its libraries and all timed waits use the system's clock.
struct WallClock {
    static let absence = "needs clang or cc in PATH"
    static let compiler = Program.path(of: "clang") ?? Program.path(of: "cc")

    private let file: String
    let environment: [String: String]

    /// - Parameter shiftsKafka: whether the clock also dates the records that the executables produce.
    init(_ harness: Harness, shiftsKafka: Bool = false) async throws {
        file = try harness.write("0", to: "clock")
        let source = try harness.write(Self.source, to: "clock.c")
        let library = harness.path("clock.so")
        let compiled = try await harness.run([
            try #require(Self.compiler), "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl",
        ])
        try #require(compiled.end == .exit(0), "\(compiled)")
        environment = ["LD_PRELOAD": library, "WALL_CLOCK_OFFSET": file].merging(
            shiftsKafka ? ["WALL_CLOCK_KAFKA": "1"] : [:]
        ) { $1 }
    }

    /// Sets the offset from the system's clock in seconds, even for a running process.
    func set(offset seconds: Int) throws { try write("\(seconds)") }

    /// Stops the clock at the given time, in milliseconds since 1970, so that tests do not depend on the machine's
    /// speed.
    func stop(at milliseconds: Int64) throws { try write("=\(milliseconds)") }

    private func write(_ text: String) throws {
        // The file is replaced atomically, so that a reader never sees a partial one.
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// A command that executes its arguments with this clock.
    var wrapper: [String] { ["/usr/bin/env"] + environment.map { "\($0)=\($1)" }.sorted() }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/auxv.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static void shift(struct timespec *time) {
            char text[32] = {0};
            int file = open(getenv("WALL_CLOCK_OFFSET"), O_RDONLY | O_CLOEXEC);
            if (file < 0) return;
            if (read(file, text, sizeof text - 1) > 0) {
                long long number = atoll(text + (*text == '='));
                if (*text == '=') {
                    time->tv_sec = number / 1000;
                    time->tv_nsec = number % 1000 * 1000000;
                } else {
                    time->tv_sec += number;
                }
            }
            close(file);
        }

        /* librdkafka takes the timestamps of records from here. */
        int gettimeofday(struct timeval *restrict value, void *restrict zone) {
            int result = syscall(SYS_gettimeofday, value, zone);
            if (result || !value || !getenv("WALL_CLOCK_OFFSET") || !getenv("WALL_CLOCK_KAFKA")) return result;
            struct timespec time = {value->tv_sec, value->tv_usec * 1000};
            shift(&time);
            value->tv_sec = time.tv_sec;
            value->tv_usec = time.tv_nsec / 1000;
            return result;
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            Dl_info caller, program;
            if (result || clock != CLOCK_REALTIME || !getenv("WALL_CLOCK_OFFSET")) return result;
            if (!dladdr(__builtin_return_address(0), &caller)) return result;
            if (!dladdr((void *)getauxval(AT_ENTRY), &program) || caller.dli_fbase != program.dli_fbase) return result;
            shift(time);
            return result;
        }

        """
}
