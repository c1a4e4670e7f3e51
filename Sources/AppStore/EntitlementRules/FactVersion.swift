package import AppStoreModel
internal import JSON

/// The version of a statement about an object. All replicas order versions the same way.
///
/// Trust takes precedence over date: a statement signed by Apple is greater than any statement authenticated only by a
/// shared secret. Next, the object's signedDate is compared, then the text of the notificationUUID.
package struct FactVersion: Hashable, Comparable, Sendable {
    package var signedDate: AppStoreInstant
    /// Whether Apple signed the statement. If false, it is authenticated only by a shared secret (version 1 or
    /// earlier).
    package var isSigned: Bool
    /// The UUID of the notification that delivered the statement.
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

    /// The notification that delivered the statement, or nil for facts fetched through the App Store Server API.
    package var notificationUUID: NotificationUUID? { uuid?.uuid }

    /// The value of the JSON member `trust` for facts authenticated only by a shared secret.
    static let sharedSecret = "shared-secret"

    package static func < (lhs: FactVersion, rhs: FactVersion) -> Bool {
        if lhs.isSigned != rhs.isSigned { return rhs.isSigned }
        if lhs.signedDate != rhs.signedDate { return lhs.signedDate < rhs.signedDate }
        return (lhs.uuid ?? .none) < (rhs.uuid ?? .none)
    }
}

/// Facts about one object. Newer facts replace older ones as a whole.
protocol VersionedFacts: Hashable, Sendable {
    var version: FactVersion { get }
    /// Writes the object with its version and unknown fields. Equal facts produce identical text.
    func writeObject(to writer: inout JSONWriter)
}

extension VersionedFacts {
    /// Returns the statement with the greater version. If the versions are equal, the bytes of the content decide.
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
