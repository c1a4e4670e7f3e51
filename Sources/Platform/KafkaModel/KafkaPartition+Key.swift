extension KafkaPartition {
    /// Creates the partition that `murmur2` yields for a key, as in Java clients and with `partitioner=murmur2_random`.
    ///
    /// - Parameter partitions: the topic's partition count, at least 1.
    public init(ofKey key: [UInt8], partitions: Int32) {
        self = key.withUnsafeBytes { KafkaPartition(ofKey: $0, partitions: partitions) }
    }

    /// Creates the partition for a key in a buffer.
    package init(ofKey key: UnsafeRawBufferPointer, partitions: Int32) {
        let hash = Int32(bitPattern: Self.murmur2(key)) & 0x7FFF_FFFF
        self.init(rawValue: hash % max(1, partitions))
    }

    /// Returns Austin Appleby's MurmurHash2 with the seed from Kafka's `org.apache.kafka.common.utils.Utils`.
    static func murmur2(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { murmur2($0) } }

    private static func murmur2(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let factor: UInt32 = 0x5BD1_E995
        var hash: UInt32 = 0x9747_B28C ^ UInt32(truncatingIfNeeded: bytes.count)
        var position = 0
        while bytes.count - position >= 4 {
            var word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            word &*= factor
            word ^= word >> 24
            hash = hash &* factor ^ word &* factor
            position += 4
        }
        if position < bytes.count {
            for (shift, byte) in bytes[position...].enumerated() { hash ^= UInt32(byte) << UInt32(8 * shift) }
            hash &*= factor
        }
        hash ^= hash >> 13
        hash &*= factor
        return hash ^ hash >> 15
    }
}
