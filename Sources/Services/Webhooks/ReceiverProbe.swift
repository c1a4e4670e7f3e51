internal import Synchronization

/// The message that the receiver accepted last: posted once more, under its id, it shows whether the receiver is up when
/// nothing else is left to deliver.
final class ReceiverProbe: Sendable {
    private struct State {
        var message: WebhookMessage?
        /// Monotonic nanoseconds.
        var nextAt: UInt64 = 0
    }

    /// Nanoseconds between two.
    private static let interval: UInt64 = 10_000_000_000

    private let state = Mutex(State())

    func accepted(_ message: WebhookMessage) { state.withLock { $0.message = message } }

    /// The message to post now; nil when nothing was accepted yet, or the last probe is only seconds ago.
    ///
    /// - Parameter now: monotonic nanoseconds.
    func take(at now: UInt64) -> WebhookMessage? {
        state.withLock { state in
            guard now >= state.nextAt, let message = state.message else { return nil }
            state.nextAt = now &+ Self.interval
            return message
        }
    }
}
