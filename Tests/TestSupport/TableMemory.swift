internal import Glibc

/// The memory in which OpenSSL keeps the multiples of a group's base point, for damaging it as a fault of the machine
/// would: nothing of OpenSSL gives access to it.
package struct TableMemory {
    private let start: UnsafeMutableRawPointer
    /// Of one window's 64 entries.
    private static let windowByteCount = 64 * 64
    /// Of the table in bytes, less its first entry and its last window. OpenSSL compares the first entry with the base
    /// point each time, and does without the table where they differ; a part of the last window is never used.
    package static let byteCount = 36 * windowByteCount - 64

    /// Nil where this libcrypto keeps it otherwise than the assembly of P-256 for x86-64 and ARM64 does: an object that
    /// begins with its group, the width of a window and the address of the table.
    ///
    /// - Parameter group: an `EC_GROUP`, which has to outlive this.
    package init?(of group: OpaquePointer) {
        let start = UnsafeRawPointer(group)
        // A group is shorter; what lies behind it is read as well, which does no harm.
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

    /// Changes one bit; changing it again repairs it.
    package func flip(bit: Int) {
        let byte = start + bit / 8 % Self.byteCount
        byte.storeBytes(of: byte.load(as: UInt8.self) ^ 1 << UInt8(bit % 8), as: UInt8.self)
    }

    /// Fewer than asked for where the address is not one that can be read: the system says so instead of a crash.
    private static func words(at address: UnsafeRawPointer, count: Int) -> [UInt] {
        let memory = open("/proc/self/mem", O_RDONLY)
        guard memory >= 0 else { return [] }
        defer { close(memory) }
        return [UInt](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(memory, buffer.baseAddress, count * 8, Int(bitPattern: address)) / 8)
        }
    }
}
