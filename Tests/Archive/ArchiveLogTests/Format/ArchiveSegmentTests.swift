import ArchiveLog
import Testing

struct ArchiveSegmentTests {
    @Test func `objects are located in a segment, all together and individually`() throws {
        let key = try Samples.dataKey()
        let entries = try [
            Samples.entry(.encrypted(key)), Samples.entry(.erased), Samples.entry(kind: .certificate, .plain),
        ]
        var segment: [UInt8] = []
        for entry in entries { try ArchiveSegment.append(entry.object, to: &segment) }
        let ranges = try ArchiveSegment.objects(in: segment)
        #expect(ranges.map { Array(segment[$0]) } == entries.map(\.object))
        let leaves = entries.map(\.leaf)
        for index in entries.indices {
            #expect(ArchiveSegment.range(ofObject: index, leaves: leaves) == ranges[index])
        }
        #expect(ArchiveSegment.range(ofObject: 3, leaves: leaves) == nil)
        #expect(ArchiveSegment.range(ofObject: -1, leaves: leaves) == nil)
    }

    @Test func `a segment consists of lengths and objects only`() throws {
        var segment: [UInt8] = []
        try ArchiveSegment.append([0xAA, 0xBB], to: &segment)
        try ArchiveSegment.append([], to: &segment)
        #expect(segment == [0, 0, 0, 2, 0xAA, 0xBB, 0, 0, 0, 0])
        #expect(try ArchiveSegment.objects(in: []).isEmpty)
    }

    @Test func `a segment that is truncated or has too many objects is rejected`() throws {
        var segment: [UInt8] = []
        try ArchiveSegment.append([1, 2, 3], to: &segment)
        for count in 1..<segment.count {
            let error = try #require(throws: ArchiveError.self) {
                try ArchiveSegment.objects(in: Array(segment.prefix(count)))
            }
            #expect(error.code == .malformedSegment)
        }
        #expect(throws: ArchiveError.self) { try ArchiveSegment.objects(in: [255, 255, 255, 255, 0]) }
        let whole = [UInt8](repeating: 0, count: 4 * ArchiveSegment.maximumCount)
        #expect(try ArchiveSegment.objects(in: whole).count == 256)
        #expect(throws: ArchiveError.self) { try ArchiveSegment.objects(in: whole + [0, 0, 0, 0]) }
    }
}
