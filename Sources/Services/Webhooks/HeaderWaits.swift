internal import Records
internal import Synchronization

/// Tracks records waiting for a header segment that is missing from the certificates topic. The ingress writes a
/// segment and waits for its acknowledgement before it writes the first record that references it. A segment that is
/// still missing after several minutes and a full read of the topic has therefore been lost.
final class HeaderWaits: Sendable {
    enum Step: Equatable {
        case wait
        /// Read the topic from beginning to end, then call ``wasRead(since:)``.
        case read
        case lost
    }

    private struct State {
        /// The time when each segment was first found missing, in monotonic nanoseconds; at most ``maximumHeaders``
        /// entries.
        var first: [HeaderReference: UInt64] = [:]
        /// The time when the last complete read began.
        var readSince: UInt64?
        var isReading = false
        /// The earliest time for the next read.
        var nextReading: UInt64 = 0
    }

    /// How long a record waits, in nanoseconds, before the topic is read again.
    static let timeout: UInt64 = 300_000_000_000
    /// The maximum number of segments. Beyond it, all waits restart. Apple has only a handful of certificate chains.
    static let maximumHeaders = 1_024
    private static let pause: UInt64 = 60_000_000_000

    private let state = Mutex(State())

    /// - Parameter now: the time in monotonic nanoseconds.
    func step(_ header: HeaderReference, at now: UInt64) -> Step {
        state.withLock { state in
            if state.first[header] == nil, state.first.count >= Self.maximumHeaders { state.first = [:] }
            let first = state.first[header] ?? now
            state.first[header] = first
            let due = first &+ Self.timeout
            guard now >= due else { return .wait }
            if let readSince = state.readSince, readSince >= due { return .lost }
            guard !state.isReading, now >= state.nextReading else { return .wait }
            state.isReading = true
            return .read
        }
    }

    /// Records the end of a read.
    ///
    /// - Parameters:
    ///   - begin: the time when the read began, in monotonic nanoseconds, or nil if it did not reach the end.
    ///   - now: the current time.
    func wasRead(since begin: UInt64?, at now: UInt64) {
        state.withLock { state in
            state.isReading = false
            state.nextReading = now &+ Self.pause
            if let begin { state.readSince = begin }
        }
    }

    /// Removes the waits for segments that are now known.
    func forget(_ isKnown: (HeaderReference) -> Bool) {
        state.withLock { state in
            guard !state.first.isEmpty else { return }
            state.first = state.first.filter { !isKnown($0.key) }
        }
    }
}
