/// The 64-bit FNV-1a hash. It is the same in every process, so attackers can produce collisions.
package enum FNV1a {
    /// Returns the hash of bytes. Inlinable, because the unspecialized generic function is many times slower.
    ///
    /// - Parameter start: the hash of the preceding bytes; by default, the hash of an empty sequence.
    @inlinable package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xCBF2_9CE4_8422_2325)
        -> UInt64
    {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    /// Returns the hash of an array of bytes.
    package static func hash(_ bytes: [UInt8], from start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, from: start) }
    }

    /// Returns the hash of the bytes in a buffer.
    package static func hash(_ bytes: UnsafeRawBufferPointer, from start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
