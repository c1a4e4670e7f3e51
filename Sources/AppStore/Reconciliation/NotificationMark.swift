package import AppStoreModel
internal import Cryptography

/// The digest that identifies a notification in the reconciliation topic: the first half of the SHA-256 digest of its
/// lowercase ID.
package struct NotificationMark: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    /// - Parameter id: a notificationUUID, in uppercase or lowercase, or another notification identifier.
    package init(of id: String) {
        let digest = SHA256.digest(of: Array(id.lowercased().utf8)).bytes
        high = Self.number(digest.prefix(8))
        low = Self.number(digest.dropFirst(8).prefix(8))
    }

    package init(_ uuid: NotificationUUID) { self.init(of: uuid.rawValue) }

    /// The 16 bytes, as written in ``ReceivedNotifications/bytes``.
    package var bytes: [UInt8] {
        [high, low].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } }
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension NotificationMark: Comparable {
    package static func < (lhs: NotificationMark, rhs: NotificationMark) -> Bool {
        (lhs.high, lhs.low) < (rhs.high, rhs.low)
    }
}
