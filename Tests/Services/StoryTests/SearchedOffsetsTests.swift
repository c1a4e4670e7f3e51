import Testing

@testable import Story

/// The offsets that a story states as searched and as not searched.
@Suite struct SearchedOffsetsTests {
    private func searched(_ ranges: [Range<Int64>]) -> SearchedOffsets {
        var offsets = SearchedOffsets()
        for range in ranges { offsets.insert(range) }
        return offsets
    }

    @Test(
        arguments: [
            ([], "none"), ([5..<5], "none"), ([0..<10], "0-9"), ([0..<10, 10..<20], "0-19"),
            ([10..<20, 0..<5], "0-4+10-19"), ([0..<5, 10..<15, 3..<12], "0-14"), ([0..<20, 5..<6], "0-19"),
            ([0..<1, 2..<3, 4..<5, 1..<4], "0-4"),
        ] as [([Range<Int64>], String)])
    func `overlapping and adjacent ranges are merged`(_ ranges: [Range<Int64>], _ text: String) {
        #expect(searched(ranges).text == text)
    }

    @Test(
        arguments: [
            ([], [0..<20]), ([0..<20], []), ([5..<10], [0..<5, 10..<20]), ([0..<5, 10..<20], [5..<10]),
            ([15..<30], [0..<15]), ([25..<30], [0..<20]), ([-5..<3], [3..<20]),
        ] as [([Range<Int64>], [Range<Int64>])])
    func `gaps are the unsearched ranges between the watermarks`(_ ranges: [Range<Int64>], _ gaps: [Range<Int64>]) {
        #expect(searched(ranges).gaps(in: 0..<20) == gaps)
    }

    @Test func `an empty partition has no gap`() { #expect(searched([]).gaps(in: 7..<7) == []) }

    @Test func `offsets are counted once`() { #expect(searched([0..<10, 5..<15, 20..<21]).count == 16) }
}
