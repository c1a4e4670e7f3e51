package import Cryptography

/// Names a data key: 128 random bits, which say nothing of the subject. Sixteen zero bytes in a leaf mean no key.
package struct ArchiveKeyId: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    /// Nil for another count than 16, and for zeros alone.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
    }

    /// From 32 hexadecimal digits, in either case.
    package init?(hex: String) {
        guard hex.utf8.count == 2 * Self.byteCount, let bytes = HexText.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    private init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// A new one.
    ///
    /// - Throws: `CryptographyError` with code `unavailable` when there are no random bytes.
    package static func random() throws(CryptographyError) -> ArchiveKeyId {
        while true {
            if let id = ArchiveKeyId(bytes: try randomBytes(byteCount)) { return id }
        }
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    /// 32 lower-case hexadecimal digits.
    package var hex: String { HexText.encode(bytes) }

    package var description: String { hex }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The key of one subject, as long as it is needed.
package struct ArchiveDataKey: Sendable {
    package let id: ArchiveKeyId
    /// 32 bytes.
    package let secret: SecretKey

    package init(id: ArchiveKeyId, secret: SecretKey) {
        self.id = id
        self.secret = secret
    }
}
