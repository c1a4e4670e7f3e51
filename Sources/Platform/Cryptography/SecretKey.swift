internal import Bytes

/// A symmetric key in memory of its own, which is overwritten when the last reference goes. It never prints.
package final class SecretKey: @unchecked Sendable {
    // @unchecked Sendable because the bytes never change between init and deinit.

    /// No key here is longer; a longer one is refused wherever keys are read.
    package static let maximumByteCount = 1024

    // Owned; overwritten and freed in deinit.
    private let buffer: UnsafeMutableRawBufferPointer

    /// Calls `fill` with memory for the key, all zeros.
    package init(byteCount: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(byteCount, 0), alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        fill(buffer)
    }

    /// A copy of `bytes`; the caller wipes his own.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// A copy of `bytes`; the caller wipes his own.
    package convenience init(copying bytes: [UInt8]) {
        self.init(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    }

    deinit {
        wipe(buffer)
        buffer.deallocate()
    }

    package var byteCount: Int { buffer.count }

    /// The key, borrowed for the call: what copies it wipes the copy.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(buffer))
    }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecretKey(\(buffer.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
