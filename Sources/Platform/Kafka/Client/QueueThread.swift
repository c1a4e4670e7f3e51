internal import CRdKafka
internal import Dispatch
internal import Primitives
internal import Synchronization

/// A thread that waits inside librdkafka for entries in one queue and processes them in `home.sync`. As a result,
/// `home` runs one block at a time, and the work stays on this thread.
final class QueueThread: Sendable {
    private let queue: QueuePointer
    private let isEnding = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter handle: called on `home` with each entry, which it must destroy, and with nil when the queue is
    ///   empty.
    /// - Returns: nil if the system cannot create a thread.
    init?(_ queue: QueuePointer, home: DispatchQueue, handle: @escaping @Sendable (EventPointer?) -> Void) {
        self.queue = queue
        // The name makes this thread appear next to librdkafka's own threads in `top -H`.
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

    /// Waits for an entry. Returns nil if the thread must end.
    private func next() -> EventPointer? {
        while !isEnding.load(ordering: .acquiring) {
            if let event = EventPointer(pollingFrom: queue, timeoutMilliseconds: -1) { return event }
        }
        return nil
    }

    /// Tells the thread to end; remaining entries stay in the queue. Can be called on any thread, including this one.
    func end() {
        isEnding.store(true, ordering: .releasing)
        // Interrupts the current wait, or the next one.
        rd_kafka_queue_yield(queue.raw)
    }

    /// Waits until the thread has stopped using the queue. Must not be called on this thread or on `home`.
    func waitForEnd() { ended.wait() }
}
