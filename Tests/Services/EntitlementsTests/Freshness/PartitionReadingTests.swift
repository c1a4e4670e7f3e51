import AppStoreModel
import Records
import Testing

@testable import Entitlements

extension InputFreshness {
    /// Marks all input received until the given time as read, and the rest of the log as empty.
    func read(_ environment: AppStoreEnvironment, until moment: Int64, partitions: Int = 1) {
        update(TopicNames().input(environment), partitions: partitions) { _, reading in
            reading.observe(end: 0, next: 0, at: moment)
        }
    }
}

@Suite struct PartitionReadingTests {
    @Test func `a fully read partition is current as of the check`() {
        var reading = PartitionReading()
        #expect(reading.receivedUntil == nil)
        reading.observe(end: 5, next: 5, at: 1_000)
        #expect(reading.receivedUntil == 1_000)
        reading.observe(end: 5, next: 5, at: 9_000)
        #expect(reading.receivedUntil == 9_000)
    }

    @Test func `a lagging partition is current as of the last observed end that the group has passed`() {
        var reading = PartitionReading()
        reading.observe(end: 5, next: 5, at: 1_000)
        reading.observe(end: 8, next: 5, at: 2_000)
        reading.observe(end: 20, next: 7, at: 3_000)
        #expect(reading.receivedUntil == 1_000)
        reading.observe(end: 30, next: 8, at: 4_000)
        #expect(reading.receivedUntil == 2_000)
        reading.observe(end: 30, next: 29, at: 5_000)
        #expect(reading.receivedUntil == 3_000)
        reading.observe(end: 30, next: 30, at: 6_000)
        #expect(reading.receivedUntil == 6_000)
    }

    @Test func `an unfinished record delays the time of its partition`() {
        var reading = PartitionReading()
        reading.observe(end: 5, next: 5, at: 1_000)
        for moment in 2..<5_000 {
            reading.observe(end: 5 + Int64(moment), next: 5, at: Int64(moment) * 1_000)
        }
        #expect(reading.receivedUntil == 1_000)
        // Discarded ends make the time earlier, never later.
        reading.observe(end: 6_000, next: 5_000, at: 5_000_000)
        let moment = reading.receivedUntil ?? 0
        #expect((4_900_000...4_995_000).contains(moment))
    }

    @Test func `an unobserved backlog is dated by its next record`() {
        var reading = PartitionReading()
        reading.observe(end: 100, next: 40, at: 9_000_000)
        #expect(reading.receivedUntil == nil)
        let asked = [reading.needsTimestamp(at: 40), reading.needsTimestamp(at: 40)]
        #expect(asked == [true, false])
        reading.observe(nextRecordAt: 1_000_000)
        #expect(reading.receivedUntil == 1_000_000)
        // Timestamps are requested again only after the group has progressed.
        let askedAgain = reading.needsTimestamp(at: 60)
        #expect(askedAgain)
        reading.observe(nextRecordAt: 8_980_000)
        let askedWhenNear = reading.needsTimestamp(at: 61)
        #expect(!askedWhenNear)
        reading.observe(end: 120, next: 100, at: 9_100_000)
        #expect(reading.receivedUntil == 9_000_000)
    }

    @Test func `a clock that was ahead does not hide the age of the facts after it is set back`() {
        var reading = PartitionReading()
        reading.observe(end: 5, next: 5, at: 90_000_000)
        reading.observe(end: 7, next: 5, at: 90_002_000)
        // The clock is set back by a day. The group does not continue.
        reading.observe(end: 7, next: 5, at: 3_604_000)
        #expect(reading.receivedUntil == nil)
        let isAsked = reading.needsTimestamp(at: 5)
        #expect(isAsked)
        reading.observe(nextRecordAt: 3_602_000)
        reading.observe(end: 7, next: 5, at: 9_000_000)
        #expect(reading.receivedUntil == 3_602_000)
        reading.observe(end: 7, next: 7, at: 9_002_000)
        #expect(reading.receivedUntil == 9_002_000)
        // A small correction changes nothing.
        reading.observe(end: 8, next: 7, at: 9_001_000)
        #expect(reading.receivedUntil == 9_002_000)
    }

    @Test func `the timestamp of a record from the future is ignored until that time`() {
        var reading = PartitionReading()
        reading.observe(end: 5, next: 5, at: 1_000)
        reading.observe(end: 9, next: 5, at: 100_000)
        let isAsked = reading.needsTimestamp(at: 5)
        #expect(isAsked)
        reading.observe(nextRecordAt: 86_400_000)
        #expect(reading.receivedUntil == 1_000)
        let isAskedAgain = reading.needsTimestamp(at: 5)
        #expect(isAskedAgain)
        reading.observe(end: 9, next: 5, at: 86_500_000)
        reading.observe(nextRecordAt: 86_400_000)
        #expect(reading.receivedUntil == 86_400_000)
    }

    @Test func `a recreated topic starts again`() {
        var reading = PartitionReading()
        reading.observe(end: 50, next: 40, at: 1_000)
        reading.observe(end: 3, next: 1, at: 2_000)
        #expect(reading.receivedUntil == nil)
        reading.observe(end: 3, next: 3, at: 3_000)
        #expect(reading.receivedUntil == 3_000)
    }
}
