/// A byte pattern that can be searched for in linear time, whatever the input (Knuth, Morris, Pratt 1977).
struct BytePattern: Sendable {
    private let bytes: [UInt8]
    /// For each prefix of the pattern, the length of the longest proper prefix that is also a suffix.
    private let borders: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var borders = [Int](repeating: 0, count: bytes.count)
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
            if bytes[index] == bytes[length] { length += 1 }
            borders[index] = length
        }
        self.borders = borders
    }

    /// Whether the text contains the pattern; false for an empty pattern.
    func isFound(in text: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty, text.count >= bytes.count else { return false }
        var length = 0
        for byte in text {
            while length > 0, byte != bytes[length] { length = borders[length - 1] }
            if byte == bytes[length] { length += 1 }
            if length == bytes.count { return true }
        }
        return false
    }
}
