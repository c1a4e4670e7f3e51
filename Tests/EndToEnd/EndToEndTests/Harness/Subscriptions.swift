import AppStoreModel
import Kafka
import Records

/// A synthetic subscription, with the records that an ingress would have written for it. Equal numbers always yield
/// equal records. It ended long ago, so its state does not change during a test.
struct Subscription: Sendable {
    let number: Int

    static let bundleId = "com.example.app"

    var originalTransactionId: String { "\(700_000_000_000_000 + number)" }
    var key: [UInt8] { Array("\(Self.bundleId)/\(originalTransactionId)".utf8) }

    /// Returns the record of a period: 0 for the purchase, then one more for each renewal.
    func record(_ period: Int) -> KafkaProducerRecord {
        record(notification(period), transaction(period), renewalInfo(period))
    }

    /// Returns a record with invalid payloads.
    func record(
        _ notification: String, _ transaction: String?, _ renewalInfo: String?, period: Int = 0
    ) -> KafkaProducerRecord {
        KafkaProducerRecord(
            RecordIdentity(
                notificationUUID: NotificationUUID(uuid(period)), notificationType: NotificationType(type(period)),
                environment: .production, bundleId: BundleId(Self.bundleId),
                signedDate: AppStoreInstant(clampingMillisecondsSince1970: start(period)),
                originalTransactionId: OriginalTransactionId(originalTransactionId)),
            to: TopicNames().notifications(.production),
            content: RecordContent(
                notification: Array(notification.utf8), transaction: transaction.map { Array($0.utf8) },
                renewalInfo: renewalInfo.map { Array($0.utf8) }),
            receivedAt: AppStoreInstant(clampingMillisecondsSince1970: start(period) + 1000))
    }

    func notification(_ period: Int, type: String? = nil) -> String {
        """
        {"notificationType":"\(type ?? self.type(period))","notificationUUID":"\(uuid(period))","version":"2.0",\
        "signedDate":\(start(period)),"data":{"environment":"Production","bundleId":"\(Self.bundleId)",\
        "appAppleId":1234567890,"status":1}}
        """
    }

    /// - Parameter changes: members to add, which replace members with the same name.
    func transaction(_ period: Int, _ changes: [String: String?] = [:]) -> String {
        object(
            [
                ("transactionId", "\"\(originalTransactionId)\(period)\""),
                ("originalTransactionId", "\"\(originalTransactionId)\""), ("bundleId", "\"\(Self.bundleId)\""),
                ("environment", "\"Production\""), ("productId", "\"com.example.monthly\""),
                ("type", "\"Auto-Renewable Subscription\""), ("inAppOwnershipType", "\"PURCHASED\""),
                ("quantity", "1"), ("appAccountToken", "\"\(Self.uuid(0xA, number))\""),
                ("purchaseDate", "\(start(period))"), ("expiresDate", "\(start(period + 1))"),
                ("signedDate", "\(start(period))"),
            ], changes)
    }

    func renewalInfo(_ period: Int) -> String {
        object(
            [
                ("originalTransactionId", "\"\(originalTransactionId)\""), ("environment", "\"Production\""),
                ("productId", "\"com.example.monthly\""), ("autoRenewProductId", "\"com.example.monthly\""),
                ("autoRenewStatus", "1"), ("signedDate", "\(start(period))"),
            ], [:])
    }

    private func object(_ members: [(String, String)], _ changes: [String: String?]) -> String {
        "{"
            + members.compactMap { name, value in
                (changes[name] ?? value).map { "\"\(name)\":\($0)" }
            }.joined(separator: ",") + "}"
    }

    private func type(_ period: Int) -> String { period == 0 ? "SUBSCRIBED" : "DID_RENEW" }

    /// Milliseconds since 1970, in a month of 2020 or 2021.
    private func start(_ period: Int) -> Int64 {
        1_577_836_800_000 + Int64(number % 1_000_000) * 1000 + Int64(period) * 30 * 86_400_000
    }

    private func uuid(_ period: Int) -> String { Self.uuid(period, number) }

    private static func uuid(_ kind: Int, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        let kind = String(kind, radix: 16)
        return "00000000-\(String(repeating: "0", count: 4 - kind.count))\(kind)-4000-8000-"
            + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

extension KafkaProducerRecord {
    /// Returns the same record for another topic.
    func produced(in topic: KafkaTopic, with further: [KafkaHeader] = []) -> KafkaProducerRecord {
        var record = self
        record.topic = topic
        record.headers += further
        return record
    }
}

extension Broker {
    /// Writes periods of subscriptions: all purchases first, then the renewals.
    func write(_ subscriptions: Range<Int>, periods: Range<Int> = 0..<1) async throws {
        let topic = notifications(.production)
        for period in periods {
            // Writes in batches, because a hundred thousand records are a hundred megabytes.
            for start in stride(from: subscriptions.lowerBound, to: subscriptions.upperBound, by: 5000) {
                try await writeAtOnce(
                    (start..<min(start + 5000, subscriptions.upperBound)).map {
                        Subscription(number: $0).record(period).produced(in: topic)
                    })
            }
        }
    }
}
