package import Cryptography

/// A subject's pseudonym: its HMAC under a key that all key stores of an installation share.
package struct SubjectMark: Hashable, Sendable, CustomStringConvertible {
    package let digest: SHA256Digest

    package init(_ digest: SHA256Digest) { self.digest = digest }

    /// Parses 64 hexadecimal digits; nil for anything else.
    package init?(hex: String) {
        guard let bytes = HexText.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Creates a pseudonym; nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard let digest = SHA256Digest(bytes: bytes) else { return nil }
        self.digest = digest
    }

    package var hex: String { digest.hex }

    package var description: String { hex }
}
