internal import Concurrency
internal import Lifecycle

/// SIGTERM and SIGINT for more than one listener: the stream of a delivery, and whoever waits after it.
struct Interrupts {
    /// The first signal.
    let stream: AsyncStream<String>
    private let over = Completion()

    /// After the first signal the process has `maximum` left; a second one ends it at once.
    init(maximum: Duration) {
        let triggers = SignalWatch.triggers(maximum: maximum) { _ in }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        self.stream = stream
        let over = over
        // Awaited by no one: it waits for signals as long as the process lives.
        Task {
            for await signal in triggers {
                continuation.yield(signal)
                over.complete()
            }
        }
    }

    /// Ends the waiting without a signal.
    func end() { over.complete() }

    /// Returns after a signal or ``end()``.
    func wait() async { await over.wait() }
}
