internal import AppStoreModel
internal import JSON

extension FieldReader {
    /// `signedDate`, `trust` and `notificationUUID`; nil without a signedDate.
    mutating func version() -> FactVersion? {
        let isSigned = string("trust") != FactVersion.sharedSecret
        let notificationUUID: NotificationUUID? = identifier("notificationUUID")
        return instant("signedDate").map {
            FactVersion(signedDate: $0, isSigned: isSigned, notificationUUID: notificationUUID)
        }
    }
}

// Here and not beside the writer: called across modules they would not be specialized, and cost most of the writing.
extension JSONWriter {
    mutating func set(_ name: StaticString, _ value: (some AppStoreIdentifier)?) { set(name, value?.rawValue) }

    mutating func set<Value: OpenEnumeration>(_ name: StaticString, _ value: Value?) where Value.RawValue == String {
        set(name, value?.rawValue)
    }

    mutating func set<Value: OpenEnumeration>(_ name: StaticString, _ value: Value?) where Value.RawValue == Int32 {
        set(name, value?.rawValue)
    }

    mutating func set(_ version: FactVersion) {
        set("signedDate", version.signedDate)
        if !version.isSigned { set("trust", FactVersion.sharedSecret) }
        set("notificationUUID", version.notificationUUID)
    }
}
