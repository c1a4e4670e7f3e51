package import AppStoreModel
internal import JSON

/// Which of two statements about the same object is the newer one: a total order that every replica agrees on.
///
/// Trust goes before date: what Apple signed is greater than whatever only a shared secret vouched for. Then the
/// signedDate of the object counts, then the text of the notificationUUID it came with.
package struct FactVersion: Hashable, Comparable, Sendable {
    package var signedDate: AppStoreInstant
    /// False for what only a shared secret vouched for (version 1 and older).
    package var isSigned: Bool
    /// Of the notification that brought it.
    var uuid: CompactUUID?

    package init(signedDate: AppStoreInstant, isSigned: Bool = true, notificationUUID: NotificationUUID? = nil) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        uuid = notificationUUID.map { CompactUUID($0) }
    }

    init(signedDate: AppStoreInstant, isSigned: Bool, uuid: CompactUUID?) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        self.uuid = uuid
    }

    /// The notification that brought it; nil for facts fetched through the App Store Server API.
    package var notificationUUID: NotificationUUID? { uuid?.uuid }

    /// What `trust` says of facts that only a shared secret vouched for.
    static let sharedSecret = "shared-secret"

    package static func < (lhs: FactVersion, rhs: FactVersion) -> Bool {
        if lhs.isSigned != rhs.isSigned { return rhs.isSigned }
        if lhs.signedDate != rhs.signedDate { return lhs.signedDate < rhs.signedDate }
        return (lhs.uuid ?? .none) < (rhs.uuid ?? .none)
    }
}

/// Facts about one object that are replaced as a whole by newer ones.
protocol VersionedFacts: Hashable, Sendable {
    var version: FactVersion { get }
    /// Writes the object, with the version and unknown fields: equal facts have equal texts.
    func writeObject(to writer: inout JSONWriter)
}

extension VersionedFacts {
    /// The greater of two by version; where versions are equal, by the bytes of the content.
    static func newer(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        return isNewer(other, than: one) ? other : one
    }

    static func isNewer(_ one: Self, than other: Self) -> Bool {
        if one.version != other.version { return other.version < one.version }
        return one != other && other.text.lexicographicallyPrecedes(one.text)
    }

    private var text: [UInt8] { JSONWriter.text { writeObject(to: &$0) } }
}
