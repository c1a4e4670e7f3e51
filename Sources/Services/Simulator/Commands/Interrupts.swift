internal import Lifecycle
internal import Primitives

/// Distributes SIGTERM and SIGINT to several listeners: the stream used by a delivery, and any later wait.
struct Interrupts {
    /// Yields the first signal.
    let stream: AsyncStream<String>
    private let over = Completion()

    /// After the first signal, the process has at most `maximum` to finish; a second signal ends it immediately.
    init(maximum: Duration) {
        let triggers = SignalWatch.triggers(maximum: maximum) { _ in }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        self.stream = stream
        let over = over
        // This task is never awaited, because it waits for signals until the process ends.
        Task {
            for await signal in triggers {
                continuation.yield(signal)
                over.complete()
            }
        }
    }

    /// Ends the wait without a signal.
    func end() { over.complete() }

    /// Waits for a signal or ``end()``.
    func wait() async { await over.wait() }
}
