internal import AppStoreModel

/// Part of check 14: `notificationUUID` is a UUID. It is the identity by which duplicates are absorbed.
enum NotificationUUIDCheck {
    static func check(_ envelope: NotificationEnvelope) throws(Rejection) {
        guard let id = envelope.notificationUUID.value, id.isWellFormed else {
            throw .nonconforming(.profileUUID, detail: "notificationUUID is not a UUID")
        }
    }
}
