/// Encodes integers in big-endian order, as all archive formats do.
extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

/// Reads bytes in order, never past the end.
struct BigEndianReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    /// Returns the next `count` bytes, or nil if fewer remain.
    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= remaining else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        take(MemoryLayout<Value>.size).map { Value(bigEndian: $0.loadUnaligned(as: Value.self)) }
    }

    /// Returns the next `count` bytes as text, or nil if they are not UTF-8 or fewer remain.
    mutating func text(_ count: Int) -> String? { take(count).flatMap { String(validating: $0, as: UTF8.self) } }
}
