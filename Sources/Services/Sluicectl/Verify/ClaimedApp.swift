internal import AppStoreModel
internal import AppStoreVerification
internal import Cryptography
internal import JSON
internal import Primitives

/// The app that a signed object claims to belong to, read without verification, for verdicts without an audience check.
enum ClaimedApp {
    /// Returns an app that matches the claims in the text, or an arbitrary app if there are no claims.
    static func identity(in text: [UInt8]) -> AppIdentity {
        let document = payload(of: text)
        let envelope = document.map { NotificationEnvelope($0) }
        let bundleId =
            envelope?.bundleId.value ?? document?.root["bundleId"]?.string.map { BundleId($0) }
            ?? BundleId("not.configured")
        let appAppleId = envelope?.appAppleId.value ?? AppAppleId(1)
        return AppIdentity(bundleId: bundleId, appAppleId: appAppleId)
    }

    private static func payload(of text: [UInt8]) -> JSONDocument? {
        var jws = text.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: " ") }
        if let body = try? JSONDocument.object(text), let signedPayload = body.root["signedPayload"]?.string {
            jws = Array(signedPayload.utf8)
        }
        let segments = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, let bytes = try? Base64URL.decode(Array(segments[1])) else { return nil }
        return try? JSONDocument.object(bytes)
    }
}
