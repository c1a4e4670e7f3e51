import TestSupport
import Testing

@testable import PipelineRuntime

struct OffsetTrackerTests {
    @Test func `the next offset follows only the finished prefix`() {
        var tracker = OffsetTracker()
        for offset in 10...14 { #expect(tracker.admit(offset: Int64(offset), bytes: 1) == true) }
        #expect(tracker.finish(offset: 12) == nil)
        #expect(tracker.finish(offset: 11) == nil)
        #expect(tracker.nextOffset == nil)
        #expect(tracker.finish(offset: 10) == 13)
        #expect(tracker.finish(offset: 14) == nil)
        #expect(tracker.finish(offset: 13) == 15)
        #expect(tracker.unfinishedCount == 0)
        #expect(tracker.unfinishedBytes == 0)
        #expect(tracker.distance == 0)
    }

    @Test func `memory is bounded by the number of unfinished records, regardless of their distance`() {
        var tracker = OffsetTracker()
        // Offsets with gaps, as after compaction.
        for offset in stride(from: Int64(0), to: 400_000, by: 4) {
            #expect(tracker.admit(offset: offset, bytes: 1) == true)
            if offset % 80_000 != 0 { #expect(tracker.finish(offset: offset) == nil) }
        }
        #expect(tracker.unfinishedCount == 5 && tracker.unfinishedBytes == 5)
        #expect(tracker.heldCount < 4_000)
        #expect(tracker.distance == 399_996)
        #expect(tracker.finish(offset: 4) == nil)
        #expect(tracker.finish(offset: 160_000) == nil)
        #expect(tracker.finish(offset: 0) == 79_997)
        #expect(tracker.finish(offset: 80_000) == 239_997)
        #expect(tracker.finish(offset: 240_000) == 319_997)
        #expect(tracker.finish(offset: 320_000) == 399_997)
        #expect(tracker.heldCount == 0 && tracker.distance == 0)
    }

    @Test func `the timestamp of the newest record is kept after all records are finished`() {
        var tracker = OffsetTracker()
        #expect(tracker.admit(offset: 1, bytes: 1, timestampMilliseconds: 500) == true)
        #expect(tracker.finish(offset: 1) == 2)
        #expect(tracker.oldestTimestampMilliseconds == nil)
        #expect(tracker.newestTimestampMilliseconds == 500)
    }

    @Test func `the tracker does not wait for gaps between offsets`() {
        var tracker = OffsetTracker()
        #expect(tracker.admit(offset: 5, bytes: 1) == true)
        #expect(tracker.admit(offset: 900, bytes: 1) == true)
        #expect(tracker.distance == 895)
        #expect(tracker.finish(offset: 5) == 6)
        #expect(tracker.distance == 0)
        #expect(tracker.finish(offset: 900) == 901)
    }

    @Test(arguments: [Int64(-1), .max, 7, 6])
    func `an offset that is not above all others, or has no successor, is not admitted`(offset: Int64) {
        var tracker = OffsetTracker()
        #expect(tracker.admit(offset: 7, bytes: 3) == true)
        #expect(tracker.admit(offset: offset, bytes: 3) == false)
        #expect(tracker.unfinishedBytes == 3)
    }

    @Test func `finishing twice, or finishing an unknown offset, changes nothing`() {
        var tracker = OffsetTracker()
        #expect(tracker.finish(offset: 0) == nil)
        #expect(tracker.admit(offset: 0, bytes: 1) == true)
        #expect(tracker.admit(offset: 2, bytes: 1) == true)
        #expect(tracker.finish(offset: 1) == nil)
        #expect(tracker.finish(offset: 2) == nil)
        #expect(tracker.finish(offset: 2) == nil)
        #expect(tracker.unfinishedCount == 1)
        #expect(tracker.finish(offset: 0) == 3)
        #expect(tracker.finish(offset: 0) == nil)
    }

    @Test func `the oldest unfinished record is tracked`() {
        var tracker = OffsetTracker()
        #expect(tracker.oldestOffset == nil)
        #expect(tracker.admit(offset: 1, bytes: 1, timestampMilliseconds: 100, at: 5) == true)
        #expect(tracker.admit(offset: 2, bytes: 1, timestampMilliseconds: 200, at: 6) == true)
        #expect(tracker.oldestTimestampMilliseconds == 100)
        _ = tracker.finish(offset: 1)
        #expect(tracker.oldestOffset == 2)
        #expect(tracker.oldestTimestampMilliseconds == 200)
        #expect(tracker.oldestAdmittedAt == 6)
    }

    /// Compares with the definition: the next offset is one after the last record before the first unfinished one.
    @Test(arguments: 0..<50)
    func `any order of finishing matches the definition`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var tracker = OffsetTracker()
        var offset: Int64 = 0
        var admitted: [Int64] = []
        var finished: Set<Int64> = []
        for _ in 0..<3000 {
            if Bool.random(using: &generator) || admitted.count == finished.count {
                offset += Int64.random(in: 1...3, using: &generator)
                #expect(tracker.admit(offset: offset, bytes: 2) == true)
                admitted.append(offset)
            } else {
                let open = admitted.suffix(40).filter { !finished.contains($0) }
                guard let choice = open.randomElement(using: &generator) else { continue }
                _ = tracker.finish(offset: choice)
                finished.insert(choice)
            }
        }
        let prefix = admitted.prefix { finished.contains($0) }
        #expect(tracker.nextOffset == prefix.last.map { $0 + 1 })
        #expect(tracker.unfinishedCount == admitted.count - finished.count)
        #expect(tracker.unfinishedBytes == 2 * (admitted.count - finished.count))
    }
}
