internal import Primitives

/// A symmetric key in its own memory, which is wiped when the last reference is released. The key is never printed.
package final class SecretKey: @unchecked Sendable {
    // @unchecked Sendable because the bytes do not change between init and deinit.

    /// The maximum length of a key in bytes. Code that reads keys rejects longer ones.
    package static let maximumByteCount = 1024

    // Owned; wiped and freed in deinit.
    private let buffer: UnsafeMutableRawBufferPointer

    /// Creates a key from the bytes that `fill` writes into zeroed memory.
    package init(byteCount: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(byteCount, 0), alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        fill(buffer)
    }

    /// Creates a copy of `bytes`. The caller must wipe the original.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Creates a copy of `bytes`. The caller must wipe the original.
    package convenience init(copying bytes: [UInt8]) {
        self.init(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    }

    deinit {
        wipe(buffer)
        buffer.deallocate()
    }

    package var byteCount: Int { buffer.count }

    /// Calls `body` with the key, which is valid only during the call. The caller must wipe any copy.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(buffer))
    }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecretKey(\(buffer.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
