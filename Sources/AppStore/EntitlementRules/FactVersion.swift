package import AppStoreModel

/// Which of two statements about the same object is the newer one: a total order that every replica agrees on.
///
/// Compared by signedDate of the object, then signed before shared secret, then the text of the notificationUUID it
/// came with.
package struct FactVersion: Hashable, Comparable, Sendable {
    package var signedDate: AppStoreInstant
    /// False for what only a shared secret vouched for (version 1 and older).
    package var isSigned: Bool
    /// The notification that brought it; nil for facts fetched through the App Store Server API.
    package var notificationUUID: NotificationUUID?

    package init(signedDate: AppStoreInstant, isSigned: Bool = true, notificationUUID: NotificationUUID? = nil) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        self.notificationUUID = notificationUUID
    }

    package static func < (lhs: FactVersion, rhs: FactVersion) -> Bool {
        if lhs.signedDate != rhs.signedDate { return lhs.signedDate < rhs.signedDate }
        if lhs.isSigned != rhs.isSigned { return rhs.isSigned }
        return (lhs.notificationUUID ?? NotificationUUID("")) < (rhs.notificationUUID ?? NotificationUUID(""))
    }
}

/// Facts about one object that are replaced as a whole by newer ones.
protocol VersionedFacts: Hashable, Sendable {
    var version: FactVersion { get }
    /// Serialised, with the version and unknown fields: equal facts have equal texts.
    var json: JSONObject { get }
}

extension VersionedFacts {
    /// The greater of two by version; where versions are equal, by the bytes of the content.
    static func newer(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        if one.version != other.version { return one.version < other.version ? other : one }
        if one == other { return one }
        return one.orderedContent.lexicographicallyPrecedes(other.orderedContent) ? other : one
    }

    private var orderedContent: [UInt8] { JSONValue.object(json).json }
}
