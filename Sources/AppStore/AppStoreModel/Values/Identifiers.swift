internal import Glibc
internal import JSON
internal import Primitives

/// An opaque identifier chosen by Apple or the developer. Identifiers become keys and headers, so equality compares
/// UTF-8 bytes. Swift's string equality would also accept canonically equivalent text, such as K and U+212A KELVIN
/// SIGN.
public protocol AppStoreIdentifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension AppStoreIdentifier {
    public init(_ text: String) { self.init(rawValue: text) }

    public var description: String { rawValue }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue.hasBytes(of: rhs.rawValue) }

    /// Compares UTF-8 bytes, so the order does not depend on locale or process.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue.utf8.lexicographicallyPrecedes(rhs.rawValue.utf8)
    }

    /// Whether the text is allowed in keys, headers and URLs. See ``BoundedText``.
    public var isBounded: Bool { BoundedText.accepts(rawValue) }
}

extension String {
    fileprivate func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Comparing contiguous bytes is much faster than comparing string views.
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard let one = bytes.baseAddress, let other = others.baseAddress else { return true }
                return memcmp(one, other, bytes.count) == 0
            }
        }
        return isEqual.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}

/// Requirements for external text that becomes part of a key, a header or a URL: 1 to 256 bytes of UTF-8 without
/// control characters.
public enum BoundedText {
    public static let maximumBytes = 256

    public static func accepts(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard (1...maximumBytes).contains(utf8.count) else { return false }
        // Reading contiguous bytes is much faster than reading a string view.
        return utf8.withContiguousStorageIfAvailable { hasNoControls($0) } ?? hasNoControls(utf8)
    }

    private static func hasNoControls(_ utf8: some Sequence<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in utf8 {
            // U+0080…U+009F are encoded as C2 80…C2 9F.
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
            previous = byte
        }
        return true
    }
}

/// The bundle identifier of an app.
public struct BundleId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Apple's identifier for a notification. Retries have the same identifier.
public struct NotificationUUID: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether the text consists of hexadecimal digits, in either letter case, in groups of 8-4-4-4-12.
    public var isWellFormed: Bool { UUIDText.accepts(rawValue) }
}

/// The identifier of a purchase, restore or renewal.
public struct TransactionId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of the first transaction of a purchase. It is unchanged in renewals, upgrades and resubscriptions
/// within the same group.
public struct OriginalTransactionId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a subscription purchase event across devices. Every renewal has its own identifier.
public struct WebOrderLineItemId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a customer's Apple Account in one app. It links transactions, renewals and app transactions.
public struct AppTransactionId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a product, as configured in App Store Connect.
public struct ProductId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a subscription group. A customer has at most one subscription in a group at a time.
public struct SubscriptionGroupIdentifier: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of an external purchase token.
public struct ExternalPurchaseId: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The developer's identifier for a mass renewal-date extension.
public struct RequestIdentifier: AppStoreIdentifier {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The developer's identifier for a customer account: a UUID that the app or server sets at purchase. It is stored in
/// lowercase to make comparisons case-insensitive.
public struct AppAccountToken: AppStoreIdentifier {
    public let rawValue: String
    public init(rawValue: String) {
        // Apple sends lowercase, so there is usually nothing to convert.
        let isLower = rawValue.utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        self.rawValue = isLower ? rawValue : rawValue.lowercased()
    }

    /// Whether the text consists of hexadecimal digits in groups of 8-4-4-4-12.
    public var isWellFormed: Bool { UUIDText.accepts(rawValue) }
}

/// Apple's numeric identifier for an app (App Store Connect: "Apple ID" of the app).
public struct AppAppleId: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public var rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ number: Int64) { self.rawValue = number }

    public var description: String { String(rawValue) }
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

enum UUIDText {
    static func accepts(_ text: String) -> Bool { UUIDBytes(text: text.utf8) != nil }
}
