internal import Concurrency
internal import Glibc
internal import Synchronization

/// How many processors the threads of a pool want: a thread that runs, or is ready and waits for its turn, wants one; a
/// thread that is blocked wants none.
final class ProcessorDemand: Sendable {
    private struct State {
        /// By thread, the nanoseconds in which it wanted a processor, up to the last look.
        var wanted: [pid_t: Int64] = [:]
        var lookedAt: Int64 = 0
    }

    private let state = Mutex(State())

    /// Counts the calling thread.
    func enter() {
        let thread = OwnThread.id
        state.withLock { $0.wanted[thread] = Self.wanted(by: thread) ?? 0 }
    }

    /// Does not count the calling thread any more.
    func leave() {
        let thread = OwnThread.id
        state.withLock { _ = $0.wanted.removeValue(forKey: thread) }
    }

    /// Processors wanted since the last look; nil where the system does not say.
    ///
    /// Time of waiting is known only when it ends. So where the average says less than `enough`, those that are ready
    /// now count if they are more.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    func look(at now: Int64, enough: Double) -> Double? {
        state.withLock { state in
            var sum: Int64 = 0
            for (thread, before) in state.wanted {
                guard let wanted = Self.wanted(by: thread) else { return nil }
                sum += max(0, wanted - before)
                state.wanted[thread] = wanted
            }
            let elapsed = now - state.lookedAt
            state.lookedAt = now
            let average = elapsed > 0 ? Double(sum) / Double(elapsed) : 0
            guard average < enough else { return average }
            return max(average, Double(state.wanted.keys.count(where: Self.isReady)))
        }
    }

    /// Nanoseconds on a processor and nanoseconds ready for one are the first two numbers of `schedstat`, proc(5).
    private static func wanted(by thread: pid_t) -> Int64? {
        let numbers = text("schedstat", of: thread).split(separator: UInt8(ascii: " ")).prefix(2).compactMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        return numbers.count == 2 ? numbers[0] &+ numbers[1] : nil
    }

    /// The state follows the name, which ends at the last parenthesis.
    private static func isReady(_ thread: pid_t) -> Bool {
        text("stat", of: thread).split(separator: UInt8(ascii: ")")).last?.starts(with: Array(" R".utf8)) ?? false
    }

    private static func text(_ name: String, of thread: pid_t) -> [UInt8] {
        let file = open("/proc/self/task/\(thread)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
    }
}
