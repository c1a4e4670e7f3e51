internal import Synchronization

/// The last message that the receiver accepted. When there is nothing else to deliver, posting it again with the same
/// ID tests whether the receiver is up.
final class ReceiverProbe: Sendable {
    private struct State {
        var message: WebhookMessage?
        /// The earliest time for the next probe, in monotonic nanoseconds.
        var nextAt: UInt64 = 0
    }

    /// The interval between probes, in nanoseconds.
    private static let interval: UInt64 = 10_000_000_000

    private let state = Mutex(State())

    func accepted(_ message: WebhookMessage) { state.withLock { $0.message = message } }

    /// Returns the message to post now, or nil if no message has been accepted yet or the last probe was only seconds
    /// ago.
    ///
    /// - Parameter now: the time in monotonic nanoseconds.
    func take(at now: UInt64) -> WebhookMessage? {
        state.withLock { state in
            guard now >= state.nextAt, let message = state.message else { return nil }
            state.nextAt = now &+ Self.interval
            return message
        }
    }
}
