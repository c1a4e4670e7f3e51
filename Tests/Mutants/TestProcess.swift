import Dispatch
import Foundation
import Synchronization

/// The outcome of the tests of one mutant.
enum TestOutcome: Equatable {
    case passed
    /// The first test that failed, or nil when the process failed without naming one.
    case failed(test: String?)
    case crashed(signal: Int32)
    case hung

    /// The name of the failed test without its arguments; empty if there is none.
    var name: Substring {
        guard case .failed(let test?) = self else { return "" }
        return test[..<(test.firstRange(of: " (")?.lowerBound ?? test.endIndex)]
    }
}

/// A child process in its own process group, with its output in a file.
struct TestProcess {
    /// The running processes, which an interrupt from the keyboard ends.
    static let running = Mutex(Set<pid_t>())

    let command: [String]
    let environment: [String: String]
    let output: String

    /// Runs the process until it exits, reports a failed test or reaches the time limit.
    func run(within limit: Duration) throws(Failure) -> (outcome: TestOutcome, seconds: Double) {
        let begun = ContinuousClock.now
        let id = try spawn()
        Self.running.withLock { _ = $0.insert(id) }
        defer { Self.running.withLock { _ = $0.remove(id) } }
        func taken() -> Double {
            Double(begun.duration(to: .now).components.seconds) + begun.duration(to: .now).fraction
        }
        var status: Int32 = 0
        while true {
            let hasEnded = waitpid(id, &status, WNOHANG) == id
            if let test = failedTest() {
                if !hasEnded { end(id) }
                return (.failed(test: test), taken())
            }
            if hasEnded {
                let signal = status & 0x7F
                if signal != 0 { return (.crashed(signal: signal), taken()) }
                return (status >> 8 & 0xFF == 0 ? .passed : .failed(test: nil), taken())
            }
            if begun.duration(to: .now) > limit {
                end(id)
                return (.hung, taken())
            }
            usleep(50_000)
        }
    }

    /// Returns the first test that recorded an issue, with its arguments.
    private func failedTest() -> String? {
        guard let data = FileManager.default.contents(atPath: output) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let mark = text.firstRange(of: " recorded an issue"),
            let start = text[..<mark.lowerBound].lastIndex(of: "\n") ?? text.indices.first,
            let end = text[mark.upperBound...].firstIndex(of: "\n")
        else { return nil }
        let line = text[start..<end]
        guard let name = line.firstRange(of: " Test ") else { return nil }
        let test = String(line[name.upperBound..<mark.lowerBound].filter { $0 != "\"" })
        // Example: " with 1 argument row → H-63 a self-signed leaf at File.swift:…"
        guard let arguments = line[mark.upperBound...].firstRange(of: " → ") else { return test }
        let value = line[arguments.upperBound...]
        return "\(test) (\(value[..<(value.firstRange(of: " at ")?.lowerBound ?? value.endIndex)].prefix(80)))"
    }

    /// Returns the first line of the output with a text, without the decoration before it.
    func firstLine(containing text: String) -> String? {
        guard let data = FileManager.default.contents(atPath: output) else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        return lines.lazy.compactMap { line in
            line.firstRange(of: text).map { String(line[$0.lowerBound...].prefix(160)) }
        }.first
    }

    /// Ends this process and all test processes on SIGINT and SIGTERM: these have process groups of their own, so the
    /// signal does not reach them.
    ///
    /// - Returns: the sources of the signals, to be kept.
    static func endAllOnSignals() -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                for id in running.withLock({ $0 }) { kill(-id, SIGKILL) }
                _exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    private func end(_ id: pid_t) {
        kill(-id, SIGKILL)
        var status: Int32 = 0
        waitpid(id, &status, 0)
    }

    private func spawn() throws(Failure) -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&files, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, command[0], &files, &attributes, &arguments, &variables)
        guard code == 0 else { throw Failure("\(command[0]): \(String(cString: strerror(code)))") }
        return id
    }
}

extension Duration {
    fileprivate var fraction: Double { Double(components.attoseconds) / 1e18 }
}
