package import AppStoreModel
internal import Bytes

/// What makes two arrivals the same notification: never the text of a JWS, which has many valid spellings.
///
/// 128 bits of what identifies it, and what kind of identity that is.
package struct DuplicateKey: Hashable, Sendable {
    private enum Kind: UInt8 {
        case production, sandbox, legacyProduction, legacySandbox
        /// Nonconforming, which may have no identity.
        case content
    }

    private let kind: Kind
    let high: UInt64
    let low: UInt64

    /// Of a signed notification. Nil when the text is not a UUID of the form 8-4-4-4-12; letters may be of either case.
    package init?(notificationUUID text: String, environment: AppStoreEnvironment) {
        guard let uuid = UUIDBytes(text: text.utf8) else { return nil }
        kind = environment == .production ? .production : .sandbox
        (high, low) = (uuid.high, uuid.low)
    }

    /// Of a version 1 or older notification: the first half of its event id. Nil when that is not 64 hexadecimal digits.
    package init?(eventId text: String, environment: AppStoreEnvironment) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        func number(_ digits: Substring.UTF8View) -> UInt64 {
            digits.reduce(0) { $0 << 4 | UInt64($1.hexadecimalValue ?? 0) }
        }
        kind = environment == .production ? .legacyProduction : .legacySandbox
        high = number(text.prefix(16).utf8)
        low = number(text.dropFirst(16).prefix(16).utf8)
    }

    /// Of what was received and is nonconforming: the first half of a SHA-256 of what a copy has in common with it. Nil
    /// when the digest is shorter than 16 bytes.
    package init?(contentDigest digest: [UInt8]) {
        guard digest.count >= 16 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        kind = .content
        high = number(digest[..<8])
        low = number(digest[8..<16])
    }
}
