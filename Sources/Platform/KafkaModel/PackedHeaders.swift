/// The headers of a record that was read, in one piece of memory: a record has a dozen, and few of them are asked for.
package struct PackedHeaders: Sendable {
    /// Of each header the length of its name and that of its value, -1 for a null value, then both.
    private var bytes: [UInt8] = []
    /// How many there are.
    package private(set) var count = 0

    private static let prefix = 2 * MemoryLayout<Int32>.size

    /// - Parameter expected: how many headers will be appended.
    package init(expecting expected: Int) {
        // Enough for those of a notification.
        bytes.reserveCapacity(expected * 40)
    }

    /// Bytes of all names and values.
    package var payloadBytes: Int { bytes.count - count * Self.prefix }

    /// - Parameter value: nil for a null value.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
        append(length: name.count)
        append(length: value?.count ?? -1)
        bytes.append(contentsOf: name)
        if let value { bytes.append(contentsOf: value) }
        count += 1
    }

    /// Kafka's own lengths have 32 bits.
    private mutating func append(length: Int) {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: length)) { bytes.append(contentsOf: $0) }
    }

    /// In their order.
    package var list: [KafkaHeader] {
        var list: [KafkaHeader] = []
        list.reserveCapacity(count)
        forEach { name, value in
            list.append(KafkaHeader(key: String(decoding: name, as: UTF8.self), value: value.map { Array($0) }))
        }
        return list
    }

    /// Calls `body` with the value of the last header of this name, which is nil where it is null.
    ///
    /// - Returns: nil where there is no such header.
    package func withValue<Result>(of wanted: String, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result? {
        var wanted = wanted
        return wanted.withUTF8 { wanted in
            bytes.withUnsafeBytes { _ in
                var found: UnsafeRawBufferPointer??
                forEach { name, value in
                    if name.count == wanted.count, name.elementsEqual(wanted) { found = .some(value) }
                }
                return found.map(body)
            }
        }
    }

    /// What is passed is valid during the call.
    private func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void) {
        bytes.withUnsafeBytes { bytes in
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
}
