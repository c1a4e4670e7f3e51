internal import AppStoreModel

/// Part of check 14: `version` is one of version 2.
enum VersionCheck {
    static func check(_ envelope: NotificationEnvelope) throws(Rejection) {
        guard let version = envelope.version.value, version.hasPrefix("2."), TextCheck.isToken(version) else {
            throw .nonconforming(.profileVersion, detail: "version does not begin with 2.")
        }
    }
}
