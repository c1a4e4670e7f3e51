import AppStoreModel
import EntitlementRules
import Foundation
import JSON
import Kafka
import Records
import TestSupport
import Testing

let day: Int64 = 86_400_000

/// Returns the time this many days after 2026-01-01T00:00:00Z, in milliseconds since 1970.
func on(_ days: Double) -> Int64 { 1_767_225_600_000 + Int64(days * 86_400_000) }

extension TemporaryDirectory {
    var database: String { file("entitlements.sqlite") }
}

/// A notification of a monthly subscription from a few values, encoded as the ingress does.
struct Draft {
    var type = "SUBSCRIBED"
    var subtype: String?
    var uuid: String
    var signedDate: Int64
    var environment = AppStoreEnvironment.production
    var bundleId = "com.example"
    var notification: JSONObject
    var transaction: JSONObject?
    var renewalInfo: JSONObject?
    var trust = RecordTrust.signed

    init(
        _ type: String, _ subtype: String? = nil, signed: Int64, purchase: String = "1000",
        environment:
            AppStoreEnvironment = .production, status: Int64? = 1, transaction: JSONObject? = nil,
        renewalInfo: JSONObject? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.environment = environment
        signedDate = signed
        uuid = "\(type)-\(signed)-\(purchase)"
        var data: JSONObject = ["environment": .string(environment.rawValue), "bundleId": .string(bundleId)]
        data["status"] = status.map { .integer($0) }
        notification = ["notificationType": .string(type)]
        notification["subtype"] = subtype.map { .string($0) }
        notification["notificationUUID"] = .string(uuid)
        notification["version"] = "2.0"
        notification["signedDate"] = .integer(signed)
        notification["data"] = .object(data)
        let common: JSONObject = [
            "originalTransactionId": .string(purchase), "environment": .string(environment.rawValue),
            "bundleId": .string(bundleId), "signedDate": .integer(signed),
        ]
        self.transaction = transaction.map { common.merging($0) }
        self.renewalInfo = renewalInfo.map { common.merging($0) }
    }

    /// Returns the record that the ingress produces.
    func produced(in topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(
            RecordIdentity(
                notificationUUID: NotificationUUID(uuid), notificationType: NotificationType(type),
                subtype: subtype.map { Subtype($0) }, environment: environment, bundleId: BundleId(bundleId),
                signedDate: AppStoreInstant(clampingMillisecondsSince1970: signedDate),
                originalTransactionId: (transaction ?? renewalInfo)?["originalTransactionId"]?.string
                    .map { OriginalTransactionId($0) }),
            to: topic,
            content: RecordContent(
                notification: JSONValue.object(notification).json,
                transaction: transaction.map { JSONValue.object($0).json },
                renewalInfo: renewalInfo.map { JSONValue.object($0).json }),
            receivedAt: AppStoreInstant(clampingMillisecondsSince1970: signedDate + 1000), trust: trust)
    }

    /// Returns the record as read from a topic.
    func record(in topic: KafkaTopic = "appstore.notifications.production", offset: Int64 = 0) -> KafkaRecord {
        produced(in: topic).record(offset: offset)
    }

    /// Returns the facts of the notification.
    func facts() throws -> PurchaseFacts {
        try #require(
            PurchaseFacts(
                notification: NotificationPayload(json: JSONValue.object(notification).json),
                transaction: transaction.map { try TransactionPayload(json: JSONValue.object($0).json) },
                renewalInfo: renewalInfo.map { try RenewalInfoPayload(json: JSONValue.object($0).json) }))
    }
}

extension KafkaProducerRecord {
    /// Returns the record as read from its topic.
    func record(offset: Int64 = 0) -> KafkaRecord {
        KafkaRecord(
            topic: topic, partition: 0, offset: KafkaOffset(rawValue: offset), key: key, value: value,
            headers: headers)
    }

    /// Returns this record for another topic.
    func produced(in topic: KafkaTopic) -> KafkaProducerRecord {
        var record = self
        record.topic = topic
        return record
    }
}

extension JSONObject {
    func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for member in other.members { merged[member.name] = member.value }
        return merged
    }

    func with(_ name: String, _ value: JSONValue?) -> JSONObject {
        var copy = self
        copy[name] = value
        return copy
    }
}

/// Returns a period of a monthly subscription.
func period(
    _ id: String, from start: Int64, to end: Int64, token: String? = nil, product: String = "com.example.monthly"
) -> JSONObject {
    var object: JSONObject = [
        "transactionId": .string(id), "productId": .string(product), "type": "Auto-Renewable Subscription",
        "quantity": 1, "inAppOwnershipType": "PURCHASED", "purchaseDate": .integer(start),
        "expiresDate": .integer(end),
    ]
    object["appAccountToken"] = token.map { .string($0) }
    return object
}

func renewal(_ status: Int64 = 1) -> JSONObject {
    ["autoRenewStatus": .integer(status), "autoRenewProductId": "com.example.monthly"]
}

let account = "7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f"

/// Returns the history of one subscription: bought, renewed, renewal turned off, expired. Many tests share this set of
/// facts.
func lifeOfOne(
    purchase: String = "1000", token: String? = account, environment: AppStoreEnvironment = .production
) -> [Draft] {
    let first = period("\(purchase)1", from: on(0), to: on(30), token: token)
    let second = period("\(purchase)2", from: on(30), to: on(60), token: token)
    return [
        Draft(
            "SUBSCRIBED", "INITIAL_BUY", signed: on(0), purchase: purchase, environment: environment,
            transaction: first,
            renewalInfo: renewal()),
        Draft(
            "DID_RENEW", signed: on(29.5), purchase: purchase, environment: environment, transaction: second,
            renewalInfo: renewal()),
        Draft(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", signed: on(40), purchase: purchase,
            environment: environment,
            transaction: second, renewalInfo: renewal(0)),
        Draft(
            "EXPIRED", "VOLUNTARY", signed: on(60.001), purchase: purchase, environment: environment, status: 2,
            transaction: second, renewalInfo: renewal(0).with("expirationIntent", 1)),
    ]
}

/// Returns every permutation of the elements.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index in
        var rest = elements
        let first = rest.remove(at: index)
        return permutations(rest).map { [first] + $0 }
    }
}

extension PurchaseFacts {
    /// Returns the same facts for another purchase.
    func renamed(_ purchase: String) throws -> PurchaseFacts {
        var object = try JSONValue(json: jsonText).object ?? JSONObject()
        object["originalTransactionId"] = .string(purchase)
        return try PurchaseFacts(json: JSONValue.object(object).json)
    }
}
