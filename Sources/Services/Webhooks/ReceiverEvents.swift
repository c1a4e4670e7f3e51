internal import OperatorEvents
internal import Synchronization

/// Publishes an operator event when the receiver stops accepting messages, and when it accepts one again.
///
/// A receiver that responds 410 or rejects every message counts as stopped immediately. Any other receiver counts as
/// stopped once attempts have failed for ``limit`` and no message has been accepted. After a 410 that ends deliveries,
/// the receiver counts as stopped until a restart.
final class ReceiverEvents: Sendable {
    /// How long attempts must have failed, in nanoseconds, before the receiver counts as stopped.
    static let limit: UInt64 = 300_000_000_000

    private struct State {
        /// The time of the first failure since the last accepted message, in monotonic nanoseconds.
        var failingSince: UInt64?
        var isStopped = false
        /// Whether deliveries have ended, so that the receiver cannot resume.
        var hasEnded = false
    }

    private let events: OperatorEvents?
    private let group: String
    private let state = Mutex(State())

    /// - Parameter group: the receiver's consumer group, which is the subject of the events.
    init(_ events: OperatorEvents?, group: String) {
        self.events = events
        self.group = group
    }

    func accepted() {
        let hasResumed = state.withLock { state in
            // This request began before deliveries ended.
            guard !state.hasEnded else { return false }
            defer { state = State() }
            return state.isStopped
        }
        if hasResumed { events?.publish(.receiverResumed, subject: group) }
    }

    /// - Parameters:
    ///   - isPermanent: whether this failure alone means that the receiver has stopped.
    ///   - endsDeliveries: whether nothing is delivered after this failure until a restart.
    ///   - now: monotonic nanoseconds.
    func failed(_ answer: ReceiverAnswer, isPermanent: Bool = false, endsDeliveries: Bool = false, at now: UInt64) {
        let hasStopped = state.withLock { state in
            if endsDeliveries { state.hasEnded = true }
            let since = state.failingSince ?? now
            state.failingSince = since
            guard !state.isStopped, isPermanent || now >= since &+ Self.limit else { return false }
            state.isStopped = true
            return true
        }
        guard hasStopped else { return }
        events?.publish(
            .receiverStopped, subject: group,
            data: [
                "reason": .text(answer.outcome.rawValue),
                "status": answer.status.map { .integer(Int64($0)) },
            ])
    }
}
