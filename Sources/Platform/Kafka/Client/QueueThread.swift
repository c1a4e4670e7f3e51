internal import CRdKafka
internal import Concurrency
internal import Dispatch
internal import Synchronization

/// A thread that waits for the entries of one queue inside librdkafka, and hands them to `home`, without leaving the
/// thread: `home` runs one thing at a time, and this is one of them.
final class QueueThread: Sendable {
    private let queue: QueuePointer
    private let isEnding = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter handle: called on `home` for each entry, which it destroys, and with `nil` when the queue is empty.
    /// - Returns: nil when the system has no thread left.
    init?(_ queue: QueuePointer, home: DispatchQueue, handle: @escaping @Sendable (EventPointer?) -> Void) {
        self.queue = queue
        // Among librdkafka's own threads in `top -H`, whose work it goes on with.
        let error = OwnThread.start(name: "rdk:reports") { [self] in
            while let first = next() {
                home.sync {
                    handle(first)
                    while let event = EventPointer(pollingFrom: queue) { handle(event) }
                    handle(nil)
                }
            }
            ended.signal()
        }
        guard error == 0 else { return nil }
    }

    /// Waits for an entry. Nil: the end was asked for.
    private func next() -> EventPointer? {
        while !isEnding.load(ordering: .acquiring) {
            if let event = EventPointer(pollingFrom: queue, timeoutMilliseconds: -1) { return event }
        }
        return nil
    }

    /// Lets the thread end; what is still in the queue stays there. From any thread, also this one.
    func end() {
        isEnding.store(true, ordering: .releasing)
        // Interrupts a wait, or the next one.
        rd_kafka_queue_yield(queue.raw)
    }

    /// Waits until the thread no longer uses the queue. Not from this thread, nor on `home`.
    func waitForEnd() { ended.wait() }
}
