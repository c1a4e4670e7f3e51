import AppStoreModel
import EntitlementRules
import JSON

let minute: Int64 = 60_000
let hour: Int64 = 3_600_000
let day: Int64 = 86_400_000

/// Returns the time the given number of milliseconds after 2026-01-01T00:00:00Z.
func at(_ milliseconds: Int64) -> AppStoreInstant {
    AppStoreInstant(clampingMillisecondsSince1970: 1_767_225_600_000 + milliseconds)
}

/// Builds notifications from the few values that a test needs. ``at(_:)`` returns their dates.
struct Notification {
    var type: NotificationType
    var subtype: Subtype?
    var signed: AppStoreInstant
    var uuid: String
    var status: SubscriptionStatus?
    var transaction: JSONObject?
    var renewalInfo: JSONObject?

    init(
        _ type: NotificationType, _ subtype: Subtype? = nil, signed: Int64, uuid: String? = nil,
        status: SubscriptionStatus? = nil, transaction: JSONObject? = nil, renewalInfo: JSONObject? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.signed = at(signed)
        self.uuid = uuid ?? "\(type)-\(signed)"
        self.status = status
        self.transaction = transaction
        self.renewalInfo = renewalInfo
    }

    /// Returns the notification's facts, parsed from JSON text as a consumer would. Nested objects are signed if the
    /// notification is.
    ///
    /// - Parameter received: the time when an unsigned notification was received, or nil to use its date.
    func facts(isSigned: Bool = true, received: Int64? = nil) throws -> PurchaseFacts? {
        var data: JSONObject = ["environment": "Production", "bundleId": "com.example"]
        data["status"] = status.map { .integer(Int64($0.rawValue)) }
        var payload: JSONObject = ["version": "2.0"]
        payload["notificationType"] = .string(type.rawValue)
        payload["subtype"] = subtype.map { .string($0.rawValue) }
        payload["notificationUUID"] = .string(uuid)
        payload["signedDate"] = .integer(signed.millisecondsSince1970)
        payload["data"] = .object(data)
        return PurchaseFacts(
            notification: try NotificationPayload(json: JSONValue.object(payload).json),
            transaction: try signedText(transaction).map { try TransactionPayload(json: $0) },
            renewalInfo: try signedText(renewalInfo).map { try RenewalInfoPayload(json: $0) }, isSigned: isSigned,
            receivedAt: received.map { at($0) })
    }

    private func signedText(_ object: JSONObject?) -> [UInt8]? {
        guard var object else { return nil }
        if object["signedDate"] == nil { object["signedDate"] = .integer(signed.millisecondsSince1970) }
        return JSONValue.object(object).json
    }
}

extension JSONObject {
    func with(_ name: String, _ value: JSONValue) -> JSONObject {
        var copy = self
        copy[name] = value
        return copy
    }

    func with(_ name: String, date: Int64) -> JSONObject { with(name, .integer(at(date).millisecondsSince1970)) }
}

/// Returns a period of the subscription with originalTransactionId 1.
func period(_ id: String, from start: Int64, to end: Int64, product: String = "monthly") -> JSONObject {
    let base: JSONObject = [
        "transactionId": .string(id), "originalTransactionId": "1", "type": "Auto-Renewable Subscription",
        "quantity": 1,
    ]
    return base.with("productId", .string(product)).with("purchaseDate", date: start).with("expiresDate", date: end)
}

func renewal(_ status: Int64 = 1, product: String = "monthly") -> JSONObject {
    ["originalTransactionId": "1", "autoRenewStatus": .integer(status), "autoRenewProductId": .string(product)]
}

/// Merges facts into an empty purchase.
func purchase(_ notifications: [Notification]) throws -> PurchaseFacts {
    var purchase = PurchaseFacts(
        environment: .production, bundleId: BundleId("com.example"),
        originalTransactionId: OriginalTransactionId("1"))
    for notification in notifications {
        if let facts = try notification.facts() { purchase.merge(facts) }
    }
    return purchase
}

func purchase(_ notifications: Notification...) throws -> PurchaseFacts { try purchase(notifications) }
