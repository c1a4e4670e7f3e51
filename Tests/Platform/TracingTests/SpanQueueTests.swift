import Telemetry
import Testing

@testable import Tracing

@Suite(.timeLimit(.minutes(1))) struct SpanQueueTests {
    private func add(_ count: Int, to queue: SpanQueue) {
        let tracer = Tracer(Sampler(.alwaysOn), queue: queue)
        for number in 0..<count { tracer.start("\(number)", .internal, parent: nil)?.end() }
    }

    @Test func `a full queue drops and counts the newest spans`() {
        let queue = SpanQueue(capacity: 10, batch: 4)
        add(25, to: queue)
        #expect(queue.dropped == 15)
        #expect(queue.count == 10)
        #expect(queue.take().map(\.name) == ["0", "1", "2", "3"])
        add(1, to: queue)
        #expect(queue.dropped == 15)
        #expect((0..<3).map { _ in queue.take().count } == [4, 3, 0])
    }

    @Test func `a full batch ends the wait`() async {
        let queue = SpanQueue(capacity: 10, batch: 4)
        add(3, to: queue)
        async let waited: Void = queue.waitForBatch(within: .seconds(3_600))
        add(1, to: queue)
        await waited
        #expect(queue.take().count == 4)
        // The next wait requires another batch; without one, it ends at its time limit.
        let start = ContinuousClock.now
        await queue.waitForBatch(within: .milliseconds(20))
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test func `a batch size above the queue's capacity is reduced to the capacity`() {
        #expect(SpanQueue(capacity: 5, batch: 512).batch == 5)
    }
}
