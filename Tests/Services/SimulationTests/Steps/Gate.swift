/// A wait that the simulation ends with a value, or that ends with another value if the waiting task is cancelled.
final class Gate<Value: Sendable>: @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    private let cancelled: Value
    private var answer: Value?
    private var waiters: [CheckedContinuation<Value, Never>] = []

    init(whenCancelled cancelled: Value) { self.cancelled = cancelled }

    var isOpen: Bool { answer != nil }

    /// Ends the wait; only the first call has an effect.
    func open(_ value: Value) {
        guard answer == nil else { return }
        answer = value
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume(returning: value) }
    }

    func wait() async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { open(cancelled) }
                if let answer { return continuation.resume(returning: answer) }
                waiters.append(continuation)
            }
        } onCancel: {
            open(cancelled)
        }
    }
}
