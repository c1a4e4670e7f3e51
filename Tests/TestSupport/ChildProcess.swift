package import Foundation
import Synchronization

/// The termination status of a process.
package enum ProcessEnd: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)

    init(waitStatus: Int32) {
        self = waitStatus & 0x7f == 0 ? .exit(waitStatus >> 8 & 0xff) : .signal(waitStatus & 0x7f)
    }
}

/// A child process with its output in files. It is signalled and awaited only by its id, and receives no signal after
/// its end was observed, because the id may then belong to another process.
package final class ChildProcess: Sendable, CustomStringConvertible {
    package let name: String
    package let id: pid_t
    private let outputPath: String
    private let errorPath: String
    private let end = Mutex<ProcessEnd?>(nil)

    /// - Parameter directory: the directory for its output files.
    package init(_ name: String, _ command: [String], environment: [String: String], directory: String) throws {
        self.name = name
        let stem = "\(directory)/\(name)-\(UUID().uuidString.prefix(8))"
        outputPath = stem + ".out"
        errorPath = stem + ".err"
        id = try Self.spawn(command, environment: environment, output: outputPath, errors: errorPath)
        ProcessCleanup.shared.add(id)
    }

    /// Runs a program to completion, or stops it when it exceeds the time limit.
    package static func run(
        _ name: String, _ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        directory: String, within limit: Duration
    ) async throws -> (end: ProcessEnd, process: ChildProcess) {
        let process = try ChildProcess(name, command, environment: environment, directory: directory)
        do {
            return (try await process.end(within: limit), process)
        } catch {
            await process.stop()
            throw error
        }
    }

    package var output: String { Self.text(outputPath) }
    package var errors: String { Self.text(errorPath) }

    /// The end of the standard error, for failure messages.
    package var description: String {
        let lines = errors.split(separator: "\n").suffix(20).joined(separator: "\n")
        return "\(name) (\(ended.map { "\($0)" } ?? "running")) said last:\n\(lines)"
    }

    /// The termination status; `nil` while the process runs.
    package var ended: ProcessEnd? {
        end.withLock { end in
            guard end == nil else { return end }
            var status: Int32 = 0
            guard waitpid(id, &status, WNOHANG) == id else { return nil }
            end = ProcessEnd(waitStatus: status)
            ProcessCleanup.shared.remove(id)
            return end
        }
    }

    package func signal(_ signal: Int32) {
        _ = ended
        end.withLock { if $0 == nil { _ = kill(id, signal) } }
    }

    /// Freezes the process with SIGSTOP, and returns when all its threads have stopped. SIGCONT resumes it.
    package func freeze() async throws {
        signal(SIGSTOP)
        try await waitUntil(within: .seconds(10)) {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
            // The state follows the name, which ends at the last parenthesis.
            return threads.allSatisfy {
                Self.text("/proc/\(id)/task/\($0)/stat").split(separator: ")").last?.hasPrefix(" T") ?? true
            }
        }
    }

    /// Waits until the process ends.
    package func end(within limit: Duration) async throws -> ProcessEnd {
        _ = await eventually(within: limit) { ended != nil }
        guard let ended else { throw SupportError("\(name) does not end; \(self)") }
        return ended
    }

    /// Stops the process with SIGTERM, and with SIGKILL if it does not end in time. Never throws, even if the test was
    /// cancelled.
    package func stop() async {
        signal(SIGCONT)
        signal(SIGTERM)
        // A separate task: the test's own may be cancelled and would then not wait.
        await Task { [self] in
            let isGone = await eventually(within: .seconds(12)) { ended != nil }
            guard !isGone else { return }
            signal(SIGKILL)
            _ = await eventually(within: .seconds(5)) { ended != nil }
        }.value
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Starts the process. Foundation's `Process` needs a run loop, which a test's thread does not run.
    private static func spawn(
        _ command: [String], environment: [String: String], output: String, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        // The test runner blocks signals, and a child would inherit the mask: SIGTERM would not end it.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw SupportError("\(command[0]) cannot be started: \(String(cString: strerror(code)))")
        }
        return process
    }
}
