internal import Primitives
internal import Synchronization

/// The value read from a small file. A change to the file takes effect within a second, without a restart. If the file
/// becomes unreadable or invalid, the previous value remains in effect.
package final class ReloadedFile<Value: Sendable>: Sendable {
    /// The result of rereading the file, for the caller to log.
    package enum Change: Sendable, Equatable {
        case read
        case refused(FileError)
    }

    private struct State {
        var value: Value
        /// The bytes that produced the current value or error, or their digest for files with secrets.
        var fingerprint: [UInt8]
        /// The time of the last check, in monotonic nanoseconds.
        var checkedAt: UInt64
        /// The reason why the last check could not read the file; nil if it could.
        var readError: FileError?
    }

    package let path: String
    private let limit: Int
    private let digest: (@Sendable ([UInt8]) -> [UInt8])?
    private let make: @Sendable ([UInt8]) throws(FileError) -> Value
    private let state: Mutex<State>

    private static var interval: UInt64 { 1_000_000_000 }

    /// Reads the file, which must be valid when the process starts.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of the file in bytes.
    ///   - now: the current time in monotonic nanoseconds.
    ///   - digest: for files with secrets, returns a digest to compare instead of the content. The content is then
    ///     wiped, so that only the value remains in memory. The value must not share the content's storage.
    ///   - make: creates the value from the file's bytes.
    package init(
        path: String, limit: Int, now: UInt64,
        digest: (@Sendable ([UInt8]) -> [UInt8])? = nil,
        make: @escaping @Sendable ([UInt8]) throws(FileError) -> Value
    ) throws(FileError) {
        let bytes = try BoundedFile.read(path, limit: limit)
        defer { if digest != nil { bytes.wipe() } }
        self.path = path
        self.limit = limit
        self.digest = digest
        self.make = make
        state = Mutex(State(value: try make(bytes), fingerprint: digest?(bytes) ?? bytes, checkedAt: now))
    }

    /// Returns the value, and the change if this call found the file changed, or unreadable for a new reason.
    ///
    /// - Parameter now: the current time in monotonic nanoseconds.
    package func current(now: UInt64) -> (value: Value, change: Change?) {
        state.withLock { state in
            guard now &- state.checkedAt >= Self.interval else { return (state.value, nil) }
            state.checkedAt = now
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try BoundedFile.read(path, limit: limit)
            } catch {
                guard error != state.readError else { return (state.value, nil) }
                state.readError = error
                return (state.value, .refused(error))
            }
            state.readError = nil
            do throws(FileError) {
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
