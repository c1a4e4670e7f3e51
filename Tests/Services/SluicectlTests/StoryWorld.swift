import AppStoreModel
import Cryptography
import EntitlementRules
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import PipelineRuntime
import PipelineTestSupport
import Reconciliation
import Records
import RefundRules
import TestSupport
import Testing

@testable import Sluicectl

/// An installation with a known history, on the embedded broker. The current time is 2026-11-01T00:00:00Z.
///
/// - Purchase 1001 (`monthly`, account A) was bought on 1 September. Its renewal on 1 October was received nine hours
///   late, and access was lost from 03:00 to 09:00. The period ends on 15 November.
/// - Purchase 2001 (`coins`, consumable) has a refund request, which was answered and declined.
/// - The first notification of purchase 3001 was dead-lettered by sluice-entitlements and replayed an hour later.
/// - A notification of purchase 4001 is in quarantine.
/// - Purchase 5001 was erased.
/// - Purchase 6001 has a notification that sluice-refunds has not handled.
struct StoryWorld {
    static let account = "aaaaaaaa-0000-4000-8000-000000000001"
    static let bundle = "com.example.app"
    let names: TopicNames
    let kafka: KafkaConfiguration
    private let embedded: DevBroker?
    private let producer: KafkaProducer

    var input: KafkaTopic { names.notifications(.production) }
    var letters: KafkaTopic { input.deadLetters(of: "sluice-entitlements") }

    /// Returns a command line with flags for this installation. URLs that are not given have no listener.
    func command(_ arguments: [String]) -> [String] {
        let silent = ["--entitlements.url", "--webhooks.admin.url"].filter { !arguments.contains($0) }
        return ["explain"] + arguments
            + ["--kafka.bootstrap.servers", kafka.bootstrapServers, "--topics.prefix", names.prefix]
            + silent.flatMap { [$0, "http://127.0.0.1:1"] }
    }

    /// - Parameters:
    ///   - hasRefunds: whether the topic of refund cases exists.
    ///   - group: another consumer group of the notification topic, which has a dead letter topic.
    init(partitions: Int = 4, hasRefunds: Bool = true, group: String? = nil) async throws {
        names = TopicNames(prefix: "sto\(UUID().uuidString.lowercased().prefix(8))")
        let input = names.notifications(.production)
        let letters = input.deadLetters(of: "sluice-entitlements")
        var topics: [KafkaTopic: Int] = [
            input: partitions, names.quarantine: 1, names.entitlements(.production): partitions,
            names.refunds(.production): partitions, letters: partitions, names.erasures: 1,
            names.reconciliation(.production): partitions,
        ]
        if !hasRefunds { topics[names.refunds(.production)] = nil }
        if let group { topics[input.deadLetters(of: group)] = partitions }
        if let chosen = ApacheKafka.chosen {
            embedded = nil
            kafka = try KafkaConfiguration(bootstrapServers: chosen.bootstrapServers)
            // The records are older than the retention of an installation.
            try await kafka.create(
                topics.map {
                    KafkaNewTopic(
                        topic: $0.key, partitions: $0.value, replicationFactor: 1,
                        configuration: ["retention.ms": "-1"])
                })
        } else {
            let broker = try DevBroker(topics: topics)
            embedded = broker
            kafka = try KafkaConfiguration(
                bootstrapServers: broker.bootstrapServers,
                properties: ["max.in.flight.requests.per.connection": "1"], profile: .embedded)
        }
        producer = try KafkaProducer(kafka, topics: Array(topics.keys)) { _ in }
    }

    func close() async {
        await producer.close(within: .seconds(5))
        await embedded?.stop()
    }

    /// Removes a partition's leader on the embedded broker.
    func removeLeader(of partition: KafkaTopicPartition) throws { try embedded?.setLeader(of: partition, to: nil) }

    static func at(_ text: String) throws -> AppStoreInstant {
        try #require(AppStoreInstant(rfc3339: text.count == 10 ? text + "T00:00:00Z" : text))
    }

    /// Returns the notificationUUID for a number.
    static func uuid(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
    }

    /// A notification about a transaction.
    struct Draft {
        var type: NotificationType
        var subtype: Subtype?
        var number: Int
        var signed: String
        var received: String?
        var purchase: String
        var transaction: String?
        var product = "monthly"
        var kind = "Auto-Renewable Subscription"
        var period: (from: String, to: String)?
        var account: String?
        var status: Int64? = 1
        var line: String?
    }

    func produced(_ draft: Draft, origin: RecordOrigin = .live) throws -> KafkaProducerRecord {
        let signed = try Self.at(draft.signed)
        let milliseconds = JSONValue.integer(signed.millisecondsSince1970)
        let uuid = Self.uuid(draft.number)
        var data: JSONObject = ["environment": "Production", "bundleId": .string(Self.bundle)]
        data["status"] = draft.kind.hasPrefix("Auto") ? draft.status.map { .integer($0) } : nil
        var notification: JSONObject = [
            "notificationType": .string(draft.type.rawValue), "notificationUUID": .string(uuid),
            "signedDate": milliseconds, "data": .object(data),
        ]
        notification["subtype"] = draft.subtype.map { .string($0.rawValue) }
        var transaction: JSONObject = [
            "transactionId": .string(draft.transaction ?? draft.purchase),
            "originalTransactionId": .string(draft.purchase), "productId": .string(draft.product),
            "bundleId": .string(Self.bundle), "environment": "Production", "type": .string(draft.kind), "quantity": 1,
            "signedDate": milliseconds, "purchaseDate": milliseconds,
        ]
        if let period = draft.period {
            transaction["purchaseDate"] = .integer(try Self.at(period.from).millisecondsSince1970)
            transaction["expiresDate"] = .integer(try Self.at(period.to).millisecondsSince1970)
        }
        transaction["appAccountToken"] = draft.account.map { .string($0) }
        transaction["webOrderLineItemId"] = draft.line.map { .string($0) }
        let renewal: JSONObject = [
            "originalTransactionId": .string(draft.purchase), "autoRenewProductId": .string(draft.product),
            "autoRenewStatus": 1, "signedDate": milliseconds,
        ]
        let identity = RecordIdentity(
            notificationUUID: NotificationUUID(uuid), notificationType: draft.type, subtype: draft.subtype,
            environment: .production, bundleId: BundleId(Self.bundle), signedDate: signed,
            originalTransactionId: OriginalTransactionId(draft.purchase))
        let content = RecordContent(
            notification: JSONValue.object(notification).json, transaction: JSONValue.object(transaction).json,
            renewalInfo: draft.kind.hasPrefix("Auto") ? JSONValue.object(renewal).json : nil)
        let received = try Self.at(draft.received ?? draft.signed)
        var record = KafkaProducerRecord(
            identity, to: input, content: content, receivedAt: received, trust: .signed, origin: origin)
        record.timestampMilliseconds = received.millisecondsSince1970
        return record
    }

    /// Returns the position of the written record, `topic/partition@offset`.
    @discardableResult
    func write(_ record: KafkaProducerRecord) async throws -> String {
        let delivery = try await producer.send(record, deadline: .seconds(10))
        return "\(delivery.topic)/\(delivery.partition)@\(delivery.offset)"
    }

    /// Returns the published state of a purchase with a single notification.
    func published(_ draft: Draft, at text: String) throws -> KafkaProducerRecord {
        let record = try produced(draft)
        let notification = try NotificationRecord(key: record.key, value: record.value, headers: record.headers)
        let facts = try #require(
            PurchaseFacts(
                notification: notification.notification, transaction: notification.transaction,
                renewalInfo: notification.renewalInfo))
        let at = try Self.at(text)
        return KafkaProducerRecord(
            topic: names.entitlements(.production), timestampMilliseconds: at.millisecondsSince1970, key: record.key,
            value: facts.published(at: at, rules: ProductRules()).value)
    }

    /// Writes the tombstone of an erased purchase.
    ///
    /// - Parameter headers: the tombstone's headers.
    func erase(_ purchase: String, at text: String, headers: [KafkaHeader] = []) async throws {
        try await write(
            KafkaProducerRecord(
                topic: names.entitlements(.production),
                timestampMilliseconds: try Self.at(text).millisecondsSince1970,
                key: Array("\(Self.bundle)/\(purchase)".utf8), value: nil, headers: headers))
    }

    /// Returns the row of the reconciler's index for a notification.
    func indexed(_ draft: Draft) throws -> KafkaProducerRecord {
        let row = ReconciliationRow.received(
            ReceivedNotifications(
                key: "\(Self.bundle)/\(draft.purchase)", NotificationMark(of: Self.uuid(draft.number)),
                at: try Self.at(draft.signed)))
        return KafkaProducerRecord(topic: names.reconciliation(.production), key: row.key, value: row.bytes)
    }

    /// The number of the first notification that ``fill(_:isIndexed:)`` writes.
    static let firstFilled = 1_000_000

    /// Writes notifications of other purchases, 2.5 KB each, like Apple's.
    ///
    /// - Parameter isIndexed: whether the reconciler's index has them.
    func fill(_ count: Int, isIndexed: Bool = false) async throws {
        let pad = (0..<997).map { _ in
            (0..<36).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }.joined()
        }
        var sent = 0
        while sent < count {
            let batch = min(2_000, count - sent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in sent..<(sent + batch) {
                    var draft = Self.waiting
                    draft.number = Self.firstFilled + number
                    draft.purchase = "7\(number)"
                    var record = try produced(draft)
                    let padding = Array(#","proof":""#.utf8) + Array(pad[number % 997].utf8) + Array(#""}"#.utf8)
                    record.value = record.value.map { $0.dropLast() + padding + [] }
                    group.addTask { [record] in
                        _ = try await producer.send(record, deadline: .seconds(60))
                    }
                    guard isIndexed else { continue }
                    let row = try indexed(draft)
                    group.addTask { _ = try await producer.send(row, deadline: .seconds(60)) }
                }
                try await group.waitForAll()
            }
            sent += batch
        }
    }

    /// Commits the end offsets of all input partitions for a group.
    func commit(_ group: String) async throws {
        try await KafkaAdmin(kafka).closing { admin in
            let ends = try await admin.watermarks(of: input).mapValues(\.high)
            try await admin.alterOffsets(of: KafkaConsumerGroup(rawValue: group), to: ends)
        }
    }
}

// MARK: The history

extension StoryWorld {
    static let bought = Draft(
        type: .subscribed, subtype: .initialBuy, number: 1, signed: "2026-09-01", purchase: "1001",
        period: ("2026-09-01", "2026-10-01"), account: account, line: "9001")
    static let renewedLate = Draft(
        type: .didRenew, number: 2, signed: "2026-10-01", received: "2026-10-01T09:00:00Z", purchase: "1001",
        transaction: "1002", period: ("2026-10-01", "2026-11-15"), account: account, line: "9002")
    static let charged = Draft(
        type: .oneTimeCharge, number: 3, signed: "2026-10-10", purchase: "2001", product: "coins", kind: "Consumable")
    static let asked = Draft(
        type: .consumptionRequest, number: 4, signed: "2026-10-12", purchase: "2001", product: "coins",
        kind: "Consumable")
    static let declined = Draft(
        type: .refundDeclined, number: 5, signed: "2026-10-13", purchase: "2001", product: "coins",
        kind: "Consumable")
    static let poison = Draft(
        type: .subscribed, subtype: .initialBuy, number: 6, signed: "2026-10-20", purchase: "3001",
        period: ("2026-10-20", "2026-11-20"))
    static let waiting = Draft(
        type: .subscribed, subtype: .initialBuy, number: 8, signed: "2026-10-31", purchase: "6001",
        period: ("2026-10-31", "2026-11-30"))

    /// Writes the history.
    ///
    /// - Returns: the positions of the records, by notification number.
    func writeHistory() async throws -> [Int: String] {
        var positions: [Int: String] = [:]
        for draft in [Self.bought, Self.renewedLate, Self.charged, Self.asked, Self.declined, Self.poison] {
            positions[draft.number] = try await write(try produced(draft))
        }
        try await writeRefund()
        try await writeDeadLetter(positions[6] ?? "")
        var replayed = try produced(Self.poison, origin: .replay)
        replayed.timestampMilliseconds = try Self.at("2026-10-20T02:00:00Z").millisecondsSince1970
        positions[60] = try await write(replayed)
        try await write(
            QuarantineRecord(
                reason: "profile_date", detail: "signedDate", receivedAt: try Self.at("2026-10-21"),
                environment: .production, bundleId: BundleId(Self.bundle),
                notificationUUID: NotificationUUID(Self.uuid(7)), receivedBytes: Array("{}".utf8)
            ).produced(to: names.quarantine))
        try await erase("5001", at: "2026-10-22")
        for group in ["sluice-entitlements", "sluice-refunds"] { try await commit(group) }
        positions[8] = try await write(try produced(Self.waiting))
        try await commit("sluice-entitlements")
        return positions
    }

    private func writeRefund() async throws {
        var refund = RefundCase(
            environment: .production, bundleId: BundleId(Self.bundle), transactionId: TransactionId("2001"))
        let payload: JSONObject = [
            "signedDate": .integer(try Self.at("2026-10-12").millisecondsSince1970), "originalTransactionId": "2001",
            "productId": "coins", "type": "Consumable",
        ]
        refund.transaction = RefundTransaction(try TransactionPayload(json: JSONValue.object(payload).json))
        let asked = try Self.at("2026-10-12")
        refund.insert(
            RefundRequest(
                notificationUUID: NotificationUUID(Self.uuid(4)), signedDate: asked, receivedAt: asked,
                reason: .unintendedPurchase))
        refund.insert(
            FrozenAnswer(
                through: asked, decidedAt: try Self.at("2026-10-12T00:01:00Z"), source: .rules, rule: "coins",
                outcome: "decline", form: 2, body: #"{"customerConsented":true}"#))
        refund.insert(AnswerAcceptance(through: asked, at: try Self.at("2026-10-12T00:02:00Z"), attempts: 2))
        refund.insert(RefundVerdict(.declined, signedDate: try Self.at("2026-10-13")))
        try await write(
            KafkaProducerRecord(
                topic: names.refunds(.production), key: Array("\(Self.bundle)/2001".utf8), value: refund.jsonText()))
    }

    private func writeDeadLetter(_ position: String) async throws {
        let place = try #require(ArchivedPosition(position))
        var record = try produced(Self.poison)
        record.topic = letters
        record.timestampMilliseconds = try Self.at("2026-10-20T01:00:00Z").millisecondsSince1970
        record.headers += [
            (DeadLetterHeader.topic, input.rawValue),
            (DeadLetterHeader.partition, "\(place.partition.partition)"),
            (DeadLetterHeader.offset, "\(place.offset)"), (DeadLetterHeader.group, "sluice-entitlements"),
            (DeadLetterHeader.reason, "field_type"), (DeadLetterHeader.attempts, "1"),
            (DeadLetterHeader.exceptionMessage, "transaction.productId"),
        ].map { KafkaHeader(key: $0.0, text: $0.1) }
        try await write(record)
    }
}
