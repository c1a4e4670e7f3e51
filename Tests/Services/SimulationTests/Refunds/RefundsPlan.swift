import AppStoreModel
import JSON
import KafkaModel
import Primitives
import Records
import TestSupport

/// A group of Apple's requests about one transaction. Each request reaches the topic, some of them twice.
struct PlannedRound: Hashable {
    let transactionId: String
    let number: Int
    /// The times of receipt, milliseconds since 1970; they differ within a plan.
    let received: [Int64]
    /// Whether Apple decides after these requests.
    let isDecided: Bool

    /// The time by which Apple must have the answer.
    var deadline: Int64 { (received.max() ?? 0) + 12 * 3_600_000 }
}

/// The notifications of a simulation, with the time at which each is written to the input topic.
struct RefundsPlan {
    struct Notification {
        let record: SimulatedRecord
        let content: Content
    }

    enum Content: Hashable {
        case request(transactionId: String, uuid: String)
        case verdict(transactionId: String, signed: Int64)
        case poison

        var transactionId: String? {
            switch self {
            case .request(let transactionId, _), .verdict(let transactionId, _): transactionId
            case .poison: nil
            }
        }
    }

    static let app = "com.example.app"

    private(set) var notifications: [Notification] = []
    private(set) var rounds: [PlannedRound] = []
    /// Whether some rounds begin days later.
    let isLong: Bool
    /// The longest time between two notifications of a case, in milliseconds: ten minutes, or ten seconds.
    let longestPause: Int64

    init(_ random: inout SeededGenerator) {
        isLong = Int.random(in: 0..<4, using: &random) == 0
        longestPause = Bool.random(using: &random) ? 10_000 : 600_000
        for number in 1...Int.random(in: 3...6, using: &random) { addCase("\(1_000 + number)", &random) }
        for _ in 0..<Int.random(in: 0...2, using: &random) { addPoison(&random) }
        notifications.sort { $0.record.at < $1.record.at }
    }

    func round(of transactionId: String, received: Int64) -> PlannedRound? {
        rounds.first { $0.transactionId == transactionId && $0.received.contains(received) }
    }

    private mutating func addCase(_ transactionId: String, _ random: inout SeededGenerator) {
        var at = SimulationTime.start + Int64.random(in: 0..<2 * longestPause, using: &random)
        for number in 1...Int.random(in: 1...2, using: &random) {
            var received: [Int64] = []
            for index in 1...Int.random(in: 1...3, using: &random) {
                at += Int64.random(in: 100..<longestPause, using: &random)
                received.append(at + 50)
                addRequest(transactionId, "\(transactionId)-\(number)-\(index)", at, at + 50, &random)
            }
            let isDecided = number == 1 && Int.random(in: 0..<2, using: &random) == 0
            rounds.append(
                PlannedRound(
                    transactionId: transactionId, number: number, received: received, isDecided: isDecided))
            if isDecided {
                at += Int64.random(in: 100..<longestPause, using: &random)
                addVerdict(transactionId, at)
            } else if isLong {
                at += 73 * SimulationTime.hour
            } else {
                return
            }
        }
    }

    private mutating func addRequest(
        _ transactionId: String, _ uuid: String, _ signed: Int64, _ received: Int64, _ random: inout SeededGenerator
    ) {
        let value = Self.value(transactionId, .consumptionRequest, uuid, signed)
        // Apple repeats a notification that was not acknowledged.
        for copy in 0..<Int64.random(in: 1...2, using: &random) {
            add(
                value, transactionId, received: received, .request(transactionId: transactionId, uuid: uuid),
                at: received + copy * Int64.random(in: 1...60_000, using: &random))
        }
    }

    private mutating func addVerdict(_ transactionId: String, _ signed: Int64) {
        let value = Self.value(transactionId, .refundDeclined, "\(transactionId)-verdict", signed)
        add(
            value, transactionId, received: signed + 50, .verdict(transactionId: transactionId, signed: signed),
            at: signed + 50)
    }

    private mutating func addPoison(_ random: inout SeededGenerator) {
        let at = SimulationTime.start + Int64.random(in: 0..<6 * longestPause, using: &random)
        notifications.append(
            Notification(
                record: SimulatedRecord(
                    at: at, key: Array("\(Self.app)/poison-\(at)".utf8), value: Array("poison \(at)".utf8)),
                content: .poison))
    }

    private mutating func add(
        _ value: [UInt8], _ transactionId: String, received: Int64, _ content: Content, at: Int64
    ) {
        let receipt = AppStoreInstant(clampingMillisecondsSince1970: received).description
        notifications.append(
            Notification(
                record: SimulatedRecord(
                    at: at, key: Array("\(Self.app)/\(transactionId)".utf8), value: value,
                    headers: [
                        KafkaHeader(key: RecordHeaderName.trust.rawValue, text: RecordTrust.signed.rawValue),
                        KafkaHeader(key: RecordHeaderName.receivedTime.rawValue, text: receipt),
                    ]), content: content))
    }

    private static func value(
        _ transactionId: String, _ type: NotificationType, _ uuid: String, _ signed: Int64
    ) -> [UInt8] {
        let transaction: JSONObject = [
            "transactionId": .string(transactionId), "originalTransactionId": .string(transactionId),
            "bundleId": .string(app), "productId": "coins", "type": "Consumable", "environment": "Production",
            "inAppOwnershipType": "PURCHASED", "signedDate": .integer(signed), "quantity": 1,
        ]
        let notification: JSONObject = [
            "notificationType": .string(type.rawValue), "notificationUUID": .string(uuid), "version": "2.0",
            "signedDate": .integer(signed), "data": ["bundleId": .string(app), "environment": "Production"],
        ]
        return Array(
            JSONValue.object(["notification": .object(notification), "transaction": .object(transaction)]).json)
    }
}

extension RefundsPlan {
    /// The time at which everything should be done, milliseconds since 1970.
    var end: Int64 { (rounds.map(\.deadline).max() ?? SimulationTime.start) + SimulationTime.hour }
}
