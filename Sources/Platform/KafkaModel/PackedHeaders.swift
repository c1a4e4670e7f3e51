internal import Glibc

/// A received record's headers, in one allocation. A record has about a dozen headers, and few are ever read.
package struct PackedHeaders: Sendable {
    /// For each header: the length of the name, the length of the value (-1 for null), the name, and the value.
    private var bytes: [UInt8] = []
    /// The number of headers.
    package private(set) var count = 0

    private static let prefix = 2 * MemoryLayout<Int32>.size

    /// - Parameter expected: the number of headers that will be appended.
    package init(expecting expected: Int) { reserve(expected) }

    /// Allocates memory for this number of headers.
    package mutating func reserve(_ expected: Int) {
        // Enough for a notification's headers.
        if expected > 0 { bytes.reserveCapacity(expected * 40) }
    }

    /// Creates headers from a copy of packed bytes.
    ///
    /// - Parameters:
    ///   - packed: the bytes of other packed headers.
    ///   - count: the number of packed headers.
    init(_ packed: UnsafeRawBufferPointer, count: Int) {
        bytes = Array(packed)
        self.count = count
    }

    /// Removes all headers, but keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Appends the packed bytes to a block.
    func append(to block: inout [UInt8]) { block += bytes }

    /// The number of packed bytes.
    var byteCount: Int { bytes.count }

    /// The total number of bytes in all names and values.
    package var payloadBytes: Int { bytes.count - count * Self.prefix }

    /// Appends a header.
    ///
    /// - Parameter value: the value; nil means a null value.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
        append(length: name.count)
        append(length: value?.count ?? -1)
        bytes.append(contentsOf: name)
        if let value { bytes.append(contentsOf: value) }
        count += 1
    }

    /// Appends a length, which Kafka limits to 32 bits.
    private mutating func append(length: Int) {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: length)) { bytes.append(contentsOf: $0) }
    }

    /// The headers in order.
    package var list: [KafkaHeader] {
        var list: [KafkaHeader] = []
        list.reserveCapacity(count)
        forEach { name, value in
            list.append(KafkaHeader(key: String(decoding: name, as: UTF8.self), value: value.map { Array($0) }))
        }
        return list
    }

    /// Calls `body` with the value of the last header with this name. A null value is passed as nil.
    ///
    /// - Returns: the result of `body`, or nil if there is no such header.
    package func withValue<Result>(of wanted: String, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result? {
        var wanted = wanted
        return wanted.withUTF8 { wanted in
            bytes.withUnsafeBytes { _ in
                var found: UnsafeRawBufferPointer??
                forEach { name, value in
                    guard name.count == wanted.count, let start = name.baseAddress, let other = wanted.baseAddress,
                        memcmp(start, other, name.count) == 0
                    else { return }
                    found = .some(value)
                }
                return found.map(body)
            }
        }
    }

    /// Calls `body` with each header. The buffers are valid only during the call.
    private func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void) {
        bytes.withUnsafeBytes { Self.forEach(in: $0, body) }
    }

    /// Calls `body` with each header in packed bytes. The buffers are valid only as long as `bytes` is.
    static func forEach(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void
    ) {
        func length(_ position: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: position, as: Int32.self)) }
        var position = 0
        while position < bytes.count {
            let (nameLength, valueLength) = (length(position), length(position + 4))
            let name = position + Self.prefix
            let value = name + nameLength
            position = value + max(0, valueLength)
            body(
                UnsafeRawBufferPointer(rebasing: bytes[name..<value]),
                valueLength < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[value..<position]))
        }
    }
}
