/// The hash FNV-1a with 64 bits: the same in every process, and easy to collide on purpose.
package enum FNV1a {
    /// The hash of bytes. Inlinable, since a generic that is not specialized takes many times as long.
    ///
    /// - Parameter start: the hash of what is in front of these bytes; the hash of nothing unless given.
    @inlinable package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xCBF2_9CE4_8422_2325)
        -> UInt64
    {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
