internal import Records
internal import Synchronization

/// Records that wait for a header segment missing in the certificates topic. The ingress has a segment acknowledged
/// before the first record that refers to it, so a segment still missing after minutes and a full read of the topic is
/// lost.
final class HeaderWaits: Sendable {
    enum Step: Equatable {
        case wait
        /// Read the topic from its beginning to its end, then call ``wasRead(since:)``.
        case read
        case lost
    }

    private struct State {
        /// When a record first lacked a segment, in monotonic nanoseconds; at most ``maximumHeaders`` entries.
        var first: [HeaderReference: UInt64] = [:]
        /// When the last complete read began.
        var readSince: UInt64?
        var isReading = false
        /// Earliest time of the next read.
        var nextReading: UInt64 = 0
    }

    /// Time in nanoseconds that a record waits before the topic is read again.
    static let timeout: UInt64 = 300_000_000_000
    /// Maximum number of segments, beyond which all waits restart; Apple has a handful of certificate chains.
    static let maximumHeaders = 1_024
    private static let pause: UInt64 = 60_000_000_000

    private let state = Mutex(State())

    /// - Parameter now: monotonic nanoseconds.
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
    ///   - begin: when it began, in monotonic nanoseconds; nil if it did not reach the end.
    ///   - now: the current time.
    func wasRead(since begin: UInt64?, at now: UInt64) {
        state.withLock { state in
            state.isReading = false
            state.nextReading = now &+ Self.pause
            if let begin { state.readSince = begin }
        }
    }

    /// Removes the waits for segments that are known now.
    func forget(_ isKnown: (HeaderReference) -> Bool) {
        state.withLock { state in
            guard !state.first.isEmpty else { return }
            state.first = state.first.filter { !isKnown($0.key) }
        }
    }
}
