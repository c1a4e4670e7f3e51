import Testing

@testable import Kafka

/// Tests when librdkafka is made to resume fetching for a partition.
@Suite struct QueueRefillTests {
    private static let threshold = 1000

    private var refill = QueueRefill()

    /// Returns whether a batch of this size makes a refill due.
    private mutating func read(_ bytes: Int, isEmptied: Bool) -> Bool {
        refill.noteRead(bytes: bytes, isEmptied: isEmptied, threshold: Self.threshold)
    }

    @Test mutating func `an emptied queue is refilled once it may have been full`() {
        let batches = [read(999, isEmptied: true), read(1, isEmptied: true), read(999, isEmptied: true)]
        #expect(batches == [false, true, false])
    }

    @Test mutating func `a queue that takes several batches to read is refilled after the last one`() {
        let batches = [read(2000, isEmptied: false), read(10, isEmptied: true)]
        #expect(batches == [false, true])
    }

    @Test mutating func `a queue that still has records is not refilled`() {
        let batches = (0..<10).map { _ in read(2000, isEmptied: false) }
        #expect(batches.allSatisfy { !$0 })
    }
}
