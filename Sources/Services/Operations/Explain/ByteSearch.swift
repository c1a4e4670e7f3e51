/// Searches texts for one pattern and skips most bytes (Boyer-Moore-Horspool, 1980).
struct ByteSearch: Sendable {
    private let pattern: [UInt8]
    /// How far the pattern moves, by the value of the text byte at its end.
    private let shifts: [Int]

    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        var shifts = [Int](repeating: pattern.count, count: 256)
        for (index, byte) in pattern.enumerated().dropLast() { shifts[Int(byte)] = pattern.count - 1 - index }
        self.shifts = shifts
    }

    /// Returns whether the text contains the pattern; false for an empty pattern.
    func isFound(in text: [UInt8]) -> Bool {
        guard let last = pattern.last else { return false }
        return text.withUnsafeBufferPointer { text in
            pattern.withUnsafeBufferPointer { pattern in
                var end = pattern.count - 1
                while end < text.count {
                    let byte = text[end]
                    if byte == last, Self.isMatch(text, pattern, end) { return true }
                    end += shifts[Int(byte)]
                }
                return false
            }
        }
    }

    private static func isMatch(
        _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, _ end: Int
    ) -> Bool {
        let start = end - (pattern.count - 1)
        for index in pattern.indices where text[start + index] != pattern[index] { return false }
        return true
    }
}
