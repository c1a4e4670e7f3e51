package import AppStoreModel
internal import JSON
internal import Primitives

/// A notification that was signed elsewhere, for example by Apple. The history lists it byte for byte.
package struct CapturedNotification: Sendable {
    /// The compact JWS.
    package let signedPayload: String
    package let notificationUUID: NotificationUUID
    package let notificationType: NotificationType
    package let subtype: Subtype?
    package let bundleId: BundleId
    package let environment: AppStoreEnvironment
    /// Transaction ids from `signedTransactionInfo`, if present.
    let transactionIds: [String]

    /// Maximum size in bytes, far larger than any of Apple's notifications.
    static let maximumBytes = 1024 * 1024

    /// Parses a compact JWS, or a body that contains one. Ignores surrounding white space and does not verify the
    /// signature.
    ///
    /// Returns `nil` for any other text, and for a notification without `data`.
    package init?(_ text: [UInt8]) {
        guard text.count <= Self.maximumBytes, let jws = Self.compactForm(text),
            let payload = Self.payload(jws), let data = payload["data"]?.object,
            let notificationUUID = payload["notificationUUID"]?.string,
            let notificationType = payload["notificationType"]?.string,
            let bundleId = data["bundleId"]?.string, let environment = data["environment"]?.string
        else { return nil }
        signedPayload = jws
        self.notificationUUID = NotificationUUID(notificationUUID)
        self.notificationType = NotificationType(notificationType)
        subtype = (payload["subtype"]?.string).map { Subtype($0) }
        self.bundleId = BundleId(bundleId)
        self.environment = AppStoreEnvironment(environment)
        let transaction = (data["signedTransactionInfo"]?.string).flatMap { Self.payload($0) }
        transactionIds = ["transactionId", "originalTransactionId"].compactMap { transaction?[$0]?.string }
    }

    private static func compactForm(_ text: [UInt8]) -> String? {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let trimmed = Array(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard trimmed.first == UInt8(ascii: "{") else { return String(validating: trimmed, as: UTF8.self) }
        return (try? JSONValue(json: trimmed))?.object?["signedPayload"]?.string
    }

    private static func payload(_ jws: String) -> JSONObject? {
        let parts = jws.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let json = try? Base64URL.decode(Array(parts[1])) else { return nil }
        return (try? JSONValue(json: json))?.object
    }
}
