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

    init(_ harness: Harness) async throws {
        file = try harness.write("0", to: "clock")
        let source = try harness.write(Self.source, to: "clock.c")
        let library = harness.path("clock.so")
        let compiled = try await harness.run([
            try #require(Self.compiler), "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl",
        ])
        try #require(compiled.end == .exit(0), "\(compiled)")
        environment = ["LD_PRELOAD": library, "WALL_CLOCK_OFFSET": file]
    }

    /// Sets the offset from the system's clock in seconds, also for a running process.
    func set(offset seconds: Int) throws { try write("\(seconds)") }

    /// Stops the clock at a moment, in milliseconds since 1970, so that tests do not depend on the machine's speed.
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
        #include <time.h>
        #include <unistd.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            const char *path = getenv("WALL_CLOCK_OFFSET");
            Dl_info caller, program;
            if (result || clock != CLOCK_REALTIME || !path) return result;
            if (!dladdr(__builtin_return_address(0), &caller)) return result;
            if (!dladdr((void *)getauxval(AT_ENTRY), &program) || caller.dli_fbase != program.dli_fbase) return result;
            char text[32] = {0};
            int file = open(path, O_RDONLY | O_CLOEXEC);
            if (file < 0) return result;
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
            return result;
        }

        """
}
