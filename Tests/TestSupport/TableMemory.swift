internal import Glibc

/// The memory in which OpenSSL stores the multiples of a group's base point. Tests damage it as a hardware fault would;
/// OpenSSL's API does not expose it.
package struct TableMemory {
    private let start: UnsafeMutableRawPointer
    /// Bytes of one window's 64 entries.
    private static let windowByteCount = 64 * 64
    /// Bytes of the table without its first entry and its last window. OpenSSL compares the first entry with the base
    /// point each time, and does not use the table if they differ; a part of the last window is never used.
    package static let byteCount = 36 * windowByteCount - 64

    /// Returns nil unless this libcrypto stores the table like the P-256 assembly for x86-64 and ARM64: an object that
    /// begins with its group, the window width and the address of the table.
    ///
    /// - Parameter group: an `EC_GROUP`, which must outlive this value.
    package init?(of group: OpaquePointer) {
        let start = UnsafeRawPointer(group)
        // A group is smaller; reading the bytes after it is harmless.
        for word in Self.words(at: start, count: 64) where word > 4096 && word % 8 == 0 {
            guard let candidate = UnsafeRawPointer(bitPattern: word) else { continue }
            let words = Self.words(at: candidate, count: 3)
            guard words.count == 3, words[0] == UInt(bitPattern: start), words[1] == 7,
                let table = UnsafeMutableRawPointer(bitPattern: words[2]),
                Self.words(at: table + 64, count: Self.byteCount / 8).count == Self.byteCount / 8
            else { continue }
            self.start = table + 64
            return
        }
        return nil
    }

    /// Flips one bit. Flipping it again repairs it.
    package func flip(bit: Int) {
        let byte = start + bit / 8 % Self.byteCount
        byte.storeBytes(of: byte.load(as: UInt8.self) ^ 1 << UInt8(bit % 8), as: UInt8.self)
    }

    /// Returns fewer words than requested if the address is not readable. The system call fails instead of crashing the
    /// process.
    private static func words(at address: UnsafeRawPointer, count: Int) -> [UInt] {
        let memory = open("/proc/self/mem", O_RDONLY)
        guard memory >= 0 else { return [] }
        defer { close(memory) }
        return [UInt](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(memory, buffer.baseAddress, count * 8, Int(bitPattern: address)) / 8)
        }
    }
}
