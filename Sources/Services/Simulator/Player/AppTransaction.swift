internal import AppStoreModel
internal import JSON

/// A customer's download of the app, from which `signedAppTransactionInfo` is created.
struct AppTransaction: Sendable {
    let appTransactionId: String
    /// Apple's `applicationVersion`.
    let applicationVersion: String

    /// Returns the payload of `signedAppTransactionInfo`. The date is in milliseconds since 1970.
    func payload(app: SimulatedApp, receiptCreationDate: Int64) -> JSONObject {
        var payload = JSONObject()
        payload.put("receiptType", app.environment.rawValue)
        payload.put("appAppleId", app.appAppleId.rawValue)
        payload.put("bundleId", app.bundleId.rawValue)
        payload.put("applicationVersion", applicationVersion)
        payload.put("versionExternalIdentifier", 868_200_000)
        payload.put("receiptCreationDate", receiptCreationDate)
        payload.put("originalPurchaseDate", receiptCreationDate - Duration.days(200).milliseconds)
        payload.put("originalApplicationVersion", "36")
        payload.put("appTransactionId", appTransactionId)
        payload.put("originalPlatform", "iOS")
        return payload
    }
}
