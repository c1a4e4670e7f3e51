package import Cryptography

/// A subject's pseudonym: its HMAC under a key that the key stores of an installation have in common.
package struct SubjectMark: Hashable, Sendable, CustomStringConvertible {
    package let digest: SHA256Digest

    package init(_ digest: SHA256Digest) { self.digest = digest }

    /// From 64 hexadecimal digits; nil for anything else.
    package init?(hex: String) {
        guard let bytes = HexText.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Nil for another count than 32.
    package init?(bytes: [UInt8]) {
        guard let digest = SHA256Digest(bytes: bytes) else { return nil }
        self.digest = digest
    }

    package var hex: String { digest.hex }

    package var description: String { hex }
}
