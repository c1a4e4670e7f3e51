internal import AppStoreModel

/// Part of check 14: `notificationType` is there. Which types exist is Apple's to extend.
enum NotificationTypeCheck {
    static func type(_ envelope: NotificationEnvelope) throws(Rejection) -> NotificationType {
        try TextCheck.check(envelope.notificationType, "notificationType", TextCheck.isToken)
        try TextCheck.check(envelope.subtype, "subtype", TextCheck.isToken)
        guard let type = envelope.notificationType.value else {
            throw .nonconforming(.profileType, detail: "notificationType is absent")
        }
        return type
    }
}
