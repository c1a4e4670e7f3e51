import AppStoreModel
import JSON
import KafkaModel
import Records
import RefundRules

/// Notification records of a story, parsed as the service parses them.
struct StoryRecord {
    /// 2026-11-23T12:00:00Z.
    static let epoch: Int64 = 1_795_435_200_000

    struct NotARefund: Error {}

    private let story: RefundStory
    private let transactionId: String

    init(_ story: RefundStory, _ transactionId: String) {
        self.story = story
        self.transactionId = transactionId
    }

    func refund(
        _ type: NotificationType, uuid: String, signed: Int64, received: Int64, now: Int64, isOfSeats: Bool = false
    ) throws -> RefundCase {
        let ownership =
            switch story.ownership {
            case .purchased: "PURCHASED"
            case .family: "FAMILY_SHARED"
            case .assigned: "ASSIGNED"
            }
        var transaction: JSONObject = [
            "transactionId": .string(transactionId), "originalTransactionId": .string(transactionId),
            "bundleId": "com.example.app", "productId": "coins", "type": "Consumable", "environment": "Production",
            "inAppOwnershipType": .string(ownership), "signedDate": .integer(signed), "quantity": 1,
            "appTransactionId": .string("7\(transactionId)"),
        ]
        if type == .refund, !isOfSeats { transaction["revocationDate"] = .integer(signed) }
        let notification: JSONObject = [
            "notificationType": .string(type.rawValue), "notificationUUID": .string(uuid), "version": "2.0",
            "signedDate": .integer(signed), "data": ["bundleId": "com.example.app", "environment": "Production"],
        ]
        let value: JSONObject = ["notification": .object(notification), "transaction": .object(transaction)]
        let record = try NotificationRecord(
            key: nil, value: JSONValue.object(value).json,
            headers: [
                KafkaHeader(key: RecordHeaderName.trust.rawValue, text: RecordTrust.signed.rawValue),
                KafkaHeader(
                    key: RecordHeaderName.receivedTime.rawValue,
                    text: AppStoreInstant(clampingMillisecondsSince1970: received).description),
            ])
        guard
            case .refund(let refund) = RefundReading(
                record, environment: .production, timestamp: received,
                now: AppStoreInstant(clampingMillisecondsSince1970: now))
        else { throw NotARefund() }
        return refund
    }
}
