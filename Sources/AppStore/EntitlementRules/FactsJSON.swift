internal import AppStoreModel

extension FieldReader {
    /// `signedDate`, `trust` and `notificationUUID`; nil without a signedDate.
    mutating func version() -> FactVersion? {
        let isSigned = string("trust") != "shared-secret"
        let notificationUUID: NotificationUUID? = identifier("notificationUUID")
        return instant("signedDate").map {
            FactVersion(signedDate: $0, isSigned: isSigned, notificationUUID: notificationUUID)
        }
    }
}

extension JSONWriter {
    mutating func set(_ version: FactVersion) {
        set("signedDate", version.signedDate)
        if !version.isSigned { set("trust", "shared-secret") }
        set("notificationUUID", version.notificationUUID)
    }
}
