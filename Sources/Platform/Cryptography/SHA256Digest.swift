/// The 32 bytes of SHA-256 or HMAC-SHA256, stored inline without an allocation.
///
/// `==` is not constant-time. Compare secrets with ``constantTimeEquals(_:_:)``.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// The size in bytes: always 32.
    package static let byteCount = 32

    // The digest's bytes in memory order.
    private var a: UInt64 = 0
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 0

    /// Calls `fill` with the 32 bytes to write.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        withUnsafeMutableBytes(of: &self) { fill($0) }
    }

    /// Creates a digest from its 32 bytes. Returns nil for any other length.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init { buffer in buffer.copyBytes(from: bytes) }
    }

    /// Calls `body` with the 32 bytes, which are valid only during the call.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try Swift.withUnsafeBytes(of: self) { (buffer) throws(E) -> R in try body(buffer) }
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The digest as 64 lower-case hexadecimal digits.
    package var hex: String { withUnsafeBytes { HexText.encode($0) } }

    package var description: String { hex }
}
