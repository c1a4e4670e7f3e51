package import Cryptography

/// A subject's pseudonym: its HMAC under a key shared by all key stores of an installation.
package struct SubjectMark: Hashable, Sendable, CustomStringConvertible {
    package let digest: SHA256Digest

    package init(_ digest: SHA256Digest) { self.digest = digest }

    /// Parses 64 hexadecimal digits; returns nil for anything else.
    package init?(hex: String) {
        guard let bytes = HexText.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Creates a pseudonym from exactly 32 bytes; returns nil otherwise.
    package init?(bytes: [UInt8]) {
        guard let digest = SHA256Digest(bytes: bytes) else { return nil }
        self.digest = digest
    }

    package var hex: String { digest.hex }

    package var description: String { hex }
}
