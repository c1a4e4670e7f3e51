internal import Synchronization

/// What a small file holds, as it is now: a change counts within a second, without a restart. A file that cannot be read,
/// or holds something else than it should, changes nothing.
package final class ReloadedFile<Value: Sendable>: Sendable {
    /// What a look at the file found. The caller logs it.
    package enum Change: Sendable, Equatable {
        case read
        case refused(FileProblem)
    }

    private struct State {
        var value: Value
        /// The bytes that the value, or a complaint, was made of.
        var read: [UInt8]
        /// Monotonic nanoseconds.
        var checkedAt: UInt64
    }

    package let path: String
    private let limit: Int
    private let make: @Sendable ([UInt8]) throws(FileProblem) -> Value
    private let state: Mutex<State>

    private static var interval: UInt64 { 1_000_000_000 }

    /// Reads the file, which must be right at the start.
    ///
    /// - Parameters:
    ///   - limit: bytes that the file may have.
    ///   - now: monotonic nanoseconds.
    ///   - make: the value of the file's bytes.
    package init(
        path: String, limit: Int, now: UInt64, make: @escaping @Sendable ([UInt8]) throws(FileProblem) -> Value
    ) throws(FileProblem) {
        let bytes = try BoundedFile.read(path, limit: limit)
        self.path = path
        self.limit = limit
        self.make = make
        state = Mutex(State(value: try make(bytes), read: bytes, checkedAt: now))
    }

    /// The value, and what has changed when this call has looked at the file.
    ///
    /// - Parameter now: monotonic nanoseconds.
    package func current(now: UInt64) -> (value: Value, change: Change?) {
        state.withLock { state in
            guard now &- state.checkedAt >= Self.interval else { return (state.value, nil) }
            state.checkedAt = now
            do throws(FileProblem) {
                let bytes = try BoundedFile.read(path, limit: limit)
                guard bytes != state.read else { return (state.value, nil) }
                state.read = bytes
                state.value = try make(bytes)
                return (state.value, .read)
            } catch {
                return (state.value, .refused(error))
            }
        }
    }
}
