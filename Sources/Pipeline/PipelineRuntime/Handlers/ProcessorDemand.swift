internal import Glibc
internal import Primitives
internal import Synchronization

/// Measures the number of processors that a pool's threads need. A thread that is running or ready to run needs one; a
/// blocked thread needs none.
final class ProcessorDemand: Sendable {
    private struct State {
        /// The total time, in nanoseconds, that each thread was running or ready to run, up to the last measurement.
        var wanted: [pid_t: Int64] = [:]
        var lookedAt: Int64 = 0
    }

    private let state = Mutex(State())

    /// Adds the calling thread.
    func enter() {
        let thread = OwnThread.id
        state.withLock { $0.wanted[thread] = Self.wanted(by: thread) ?? 0 }
    }

    /// Removes the calling thread.
    func leave() {
        let thread = OwnThread.id
        state.withLock { _ = $0.wanted.removeValue(forKey: thread) }
    }

    /// Returns the average number of processors needed since the last measurement, or nil if the system does not report
    /// it.
    ///
    /// The system reports a thread's waiting time only when the wait ends. Therefore, if the average is below `enough`
    /// and more threads are ready now, this method returns their number instead.
    ///
    /// - Parameter now: the current time in monotonic nanoseconds.
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

    /// Returns the time, in nanoseconds, that a thread was running or ready to run: the sum of the first two numbers in
    /// `schedstat`, see proc(5).
    private static func wanted(by thread: pid_t) -> Int64? {
        let numbers = text("schedstat", of: thread).split(separator: UInt8(ascii: " ")).prefix(2).compactMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        return numbers.count == 2 ? numbers[0] &+ numbers[1] : nil
    }

    /// Returns whether the thread is running or ready to run. In the thread's `stat` file, the state follows the name,
    /// which ends at the last parenthesis.
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
