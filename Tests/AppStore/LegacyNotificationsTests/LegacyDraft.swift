import AppStoreModel
import Cryptography
import JSON
import LegacyNotifications

let minute: Int64 = 60_000
let hour: Int64 = 3_600_000
let day: Int64 = 86_400_000
/// The length of a period.
let month: Int64 = 30 * day
let monthly = "com.example.pro.month"
let yearly = "com.example.pro.year"
let canary = "0123456789abcdef0123456789abcdef"
let app = BundleId("com.example.app")

/// Returns the time the given number of milliseconds after 2026-09-20T10:26:40Z, the time of the first purchase.
func at(_ milliseconds: Int64) -> AppStoreInstant {
    AppStoreInstant(clampingMillisecondsSince1970: 1_789_900_000_000 + milliseconds)
}

/// Returns this time in the text format of unsigned notifications.
func text(at milliseconds: Int64) -> JSONValue { .string(String(at(milliseconds).millisecondsSince1970)) }

extension JSONObject {
    /// Returns the members of both objects. The members of `other` take precedence.
    static func + (one: JSONObject, other: JSONObject) -> JSONObject {
        var result = one
        for member in other.members { result[member.name] = member.value }
        return result
    }

    /// Returns the object without the given members.
    func without(_ names: String...) -> JSONObject {
        var result = self
        for name in names { result[name] = nil }
        return result
    }
}

/// Returns an element of `latest_receipt_info`, bought and expiring the given numbers of milliseconds after the first
/// purchase.
func transaction(
    _ id: String, _ product: String = monthly, bought: Int64 = 0, expires: Int64? = month, of purchase: String = "100",
    with further: JSONObject = [:]
) -> JSONObject {
    var transaction: JSONObject = [
        "transaction_id": .string(id), "original_transaction_id": .string(purchase), "product_id": .string(product),
        "quantity": "1", "purchase_date_ms": text(at: bought), "original_purchase_date_ms": text(at: 0),
        "subscription_group_identifier": "20497362", "web_order_line_item_id": .string("9" + id),
        "is_trial_period": "false", "is_in_intro_offer_period": "false", "in_app_ownership_type": "PURCHASED",
    ]
    transaction["expires_date_ms"] = expires.map { text(at: $0) }
    return transaction + further
}

/// Returns an element of `pending_renewal_info`.
func renewal(
    _ status: String = "1", _ product: String = monthly, next: String? = nil, of purchase: String = "100",
    with further: JSONObject = [:]
) -> JSONObject {
    let renewal: JSONObject = [
        "original_transaction_id": .string(purchase), "product_id": .string(product),
        "auto_renew_product_id": .string(next ?? product), "auto_renew_status": .string(status),
    ]
    return renewal + further
}

/// Creates bodies in the unsigned formats from a few values.
struct LegacyDraft: Sendable {
    /// The members outside the receipt.
    var body: JSONObject
    /// The members of `unified_receipt`, or nil in the oldest format.
    var receipt: JSONObject?

    /// Creates a body of version 1.
    init(_ type: String, _ transactions: [JSONObject], _ renewals: [JSONObject] = [], _ further: JSONObject = [:]) {
        body =
            [
                "notification_type": .string(type), "environment": "PROD", "password": .string(canary),
                "bid": .string(app.rawValue), "bvrs": "42", "original_transaction_id": 100,
            ] + further
        receipt = [
            "environment": "Production", "status": 0, "latest_receipt": "MIIT0001",
            "latest_receipt_info": .array(transactions.map { .object($0) }),
            "pending_renewal_info": .array(renewals.map { .object($0) }),
        ]
    }

    /// Creates a body of the oldest format.
    init(oldest type: String, latest: JSONObject? = nil, expired: JSONObject? = nil, _ further: JSONObject = [:]) {
        body =
            [
                "notification_type": .string(type), "environment": "PROD", "password": .string(canary),
                "original_transaction_id": "100", "auto_renew_product_id": .string(monthly),
                "auto_renew_adam_id": "1500000001",
            ] + further
        body["latest_receipt_info"] = latest.map { .object($0) }
        body["latest_expired_receipt_info"] = expired.map { .object($0) }
    }

    var json: [UInt8] {
        var object = body
        if let receipt { object["unified_receipt"] = .object(receipt) }
        return JSONValue.object(object).json
    }

    func document() throws -> JSONDocument { try JSONDocument.object(json) }

    func read(received: Int64 = 400 * day, as bundleId: BundleId = app) throws -> LegacyNotification {
        try initializeCryptography()
        return try LegacyNotification(document(), bundleId: bundleId, receivedAt: at(received))
    }

    /// Returns the reason for rejecting the body, or nil if it is accepted.
    func fault() throws -> LegacyError? {
        do {
            _ = try read()
            return nil
        } catch let fault as LegacyError {
            return fault
        }
    }
}

/// Returns a receipt in the oldest format, with `expires_date` in milliseconds next to readable dates.
func receipt(
    _ id: String, _ product: String = monthly, bought: Int64 = 0, expires: Int64 = month, with further: JSONObject = [:]
) -> JSONObject {
    let receipt: JSONObject = [
        "transaction_id": .string(id), "original_transaction_id": "100", "product_id": .string(product),
        "quantity": "1", "purchase_date": "2026-09-20 10:26:40 Etc/GMT", "purchase_date_ms": text(at: bought),
        "original_purchase_date_ms": text(at: 0), "expires_date": text(at: expires),
        "expires_date_formatted": "2020-01-01 00:00:00 Etc/GMT", "bid": .string(app.rawValue), "bvrs": "7",
        "web_order_line_item_id": .string("9" + id), "subscription_group_identifier": "20497362",
        "unique_identifier": "0000-device", "unique_vendor_identifier": "vendor-device", "item_id": "1",
        "is_trial_period": "false", "is_in_intro_offer_period": "false",
    ]
    return receipt + further
}

extension LegacyNotification {
    /// The type as `TYPE` or `TYPE/SUBTYPE`.
    var mapped: String { subtype.map { "\(notificationType)/\($0)" } ?? notificationType.rawValue }

    var payload: NotificationPayload { get throws { try NotificationPayload(json: notification) } }
    var transactionPayload: TransactionPayload? {
        get throws { try transaction.map { try TransactionPayload(json: $0) } }
    }
    var renewalPayload: RenewalInfoPayload? { get throws { try renewalInfo.map { try RenewalInfoPayload(json: $0) } } }
    var status: SubscriptionStatus? { get throws { try payload.data?.status } }
}
