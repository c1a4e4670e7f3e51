internal import Foundation

/// The CPU time of the ingress by thread role, in nanoseconds.
struct ThreadTimes {
    /// The role of a thread, derived from its name.
    enum Role: String, CaseIterable {
        /// The thread that reads and writes the sockets of both listeners.
        case loop
        /// The threads that verify notifications.
        case workers
        /// The threads of the producer, including those for delivery reports.
        case librdkafka
        /// The log, the main thread, and threads that have ended.
        case other

        init(threadNamed name: String) {
            if name == "http" {
                self = .loop
            } else if name.hasPrefix("verify-") {
                self = .workers
            } else if name.hasPrefix("rdk:") {
                self = .librdkafka
            } else {
                self = .other
            }
        }
    }

    private var byRole: [Role: Double] = [:]
    private let all: Double

    /// - Throws: ``BenchFailure`` if `/proc` lacks the data, because the system is not Linux or the kernel lacks
    ///   schedstat.
    init(of process: ChildProcess) throws {
        let tasks = "/proc/\(process.pid)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        all = process.cpu
        for thread in threads {
            // A thread may end in the meantime. If so, its time is attributed to `other`.
            guard let name = try? String(contentsOfFile: "\(tasks)/\(thread)/comm", encoding: .utf8),
                let times = try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)
            else { continue }
            // The file contains the time on a CPU and the time waiting for one, both in nanoseconds, then the number of
            // time slices.
            guard let running = times.split(separator: " ").first.flatMap({ Double($0) }) else {
                throw BenchFailure("/proc does not report CPU time per thread")
            }
            byRole[Role(threadNamed: name.trimmingCharacters(in: .newlines)), default: 0] += running
        }
    }

    /// Returns the nanoseconds per role since an earlier reading. `other` is the process time that is not attributed to
    /// a named thread.
    func since(_ earlier: ThreadTimes) -> [Role: Double] {
        var times: [Role: Double] = [:]
        for role in Role.allCases where role != .other {
            times[role] = max(0, (byRole[role] ?? 0) - (earlier.byRole[role] ?? 0))
        }
        times[.other] = max(0, all - earlier.all - times.values.reduce(0, +))
        return times
    }
}
