package import AppStoreModel
internal import Primitives

/// The identity by which duplicate notifications are detected. For a signed notification, it never depends on the
/// signature or on the JSON around the JWS, because these may differ between copies of the same notification.
///
/// It consists of 128 bits of an identifier and the kind of identifier.
package struct DuplicateKey: Hashable, Sendable {
    private enum Kind: UInt8 {
        case production, sandbox, legacyProduction, legacySandbox
        /// Identifies a nonconforming notification, which may have no UUID.
        case content
    }

    private let kind: Kind
    let high: UInt64
    let low: UInt64

    /// Creates the key for a signed notification. Returns nil if the text is not a UUID in the format 8-4-4-4-12, in
    /// uppercase or lowercase.
    package init?(notificationUUID text: String, environment: AppStoreEnvironment) {
        guard let uuid = UUIDBytes(text: text.utf8) else { return nil }
        kind = environment == .production ? .production : .sandbox
        (high, low) = (uuid.high, uuid.low)
    }

    /// Creates the key for a version 1 or older notification: the first half of its event ID. Returns nil if the event
    /// ID does not have 64 hexadecimal digits.
    package init?(eventId text: String, environment: AppStoreEnvironment) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        func number(_ digits: Substring.UTF8View) -> UInt64 {
            digits.reduce(0) { $0 << 4 | UInt64($1.hexadecimalValue ?? 0) }
        }
        kind = environment == .production ? .legacyProduction : .legacySandbox
        high = number(text.prefix(16).utf8)
        low = number(text.dropFirst(16).prefix(16).utf8)
    }

    /// Creates the key for a nonconforming body: the first half of the SHA-256 digest of the part that is identical in
    /// all copies. Returns nil if the digest is shorter than 16 bytes.
    package init?(contentDigest digest: [UInt8]) {
        guard digest.count >= 16 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        kind = .content
        high = number(digest[..<8])
        low = number(digest[8..<16])
    }
}
