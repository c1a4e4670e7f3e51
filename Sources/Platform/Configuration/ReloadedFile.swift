internal import Bytes
internal import Synchronization

/// The current value of a small file. Changes take effect within a second, without a restart. If the file becomes
/// unreadable or invalid, the previous value remains in effect.
package final class ReloadedFile<Value: Sendable>: Sendable {
    /// The result of rereading the file. The caller logs it.
    package enum Change: Sendable, Equatable {
        case read
        case refused(FileProblem)
    }

    private struct State {
        var value: Value
        /// Identifies the bytes that produced the current value or error.
        var fingerprint: [UInt8]
        /// Time of the last check in monotonic nanoseconds.
        var checkedAt: UInt64
    }

    package let path: String
    private let limit: Int
    private let digest: (@Sendable ([UInt8]) -> [UInt8])?
    private let make: @Sendable ([UInt8]) throws(FileProblem) -> Value
    private let state: Mutex<State>

    private static var interval: UInt64 { 1_000_000_000 }

    /// Reads the file, which must be valid at startup.
    ///
    /// - Parameters:
    ///   - limit: maximum size of the file in bytes.
    ///   - now: monotonic nanoseconds.
    ///   - digest: for files with secrets, returns a digest that is compared instead of the content. The content is
    ///     then overwritten, so that only the value stays in memory; the value must not share its bytes.
    ///   - make: creates the value from the file's bytes.
    package init(
        path: String, limit: Int, now: UInt64,
        digest: (@Sendable ([UInt8]) -> [UInt8])? = nil,
        make: @escaping @Sendable ([UInt8]) throws(FileProblem) -> Value
    ) throws(FileProblem) {
        let bytes = try BoundedFile.read(path, limit: limit)
        defer { if digest != nil { bytes.wipe() } }
        self.path = path
        self.limit = limit
        self.digest = digest
        self.make = make
        state = Mutex(State(value: try make(bytes), fingerprint: digest?(bytes) ?? bytes, checkedAt: now))
    }

    /// Returns the value, and the change if this call has reread the file.
    ///
    /// - Parameter now: monotonic nanoseconds.
    package func current(now: UInt64) -> (value: Value, change: Change?) {
        state.withLock { state in
            guard now &- state.checkedAt >= Self.interval else { return (state.value, nil) }
            state.checkedAt = now
            do throws(FileProblem) {
                let bytes = try BoundedFile.read(path, limit: limit)
                defer { if digest != nil { bytes.wipe() } }
                let fingerprint = digest?(bytes) ?? bytes
                guard fingerprint != state.fingerprint else { return (state.value, nil) }
                state.fingerprint = fingerprint
                state.value = try make(bytes)
                return (state.value, .read)
            } catch {
                return (state.value, .refused(error))
            }
        }
    }
}
