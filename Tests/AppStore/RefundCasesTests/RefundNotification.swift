import AppStoreModel
import JSON
import KafkaModel
import Records
import RefundRules

let hour: Int64 = 3_600_000
let day: Int64 = 86_400_000

/// Returns the time the given number of milliseconds after 2026-01-01T00:00:00Z.
func at(_ milliseconds: Int64) -> AppStoreInstant {
    AppStoreInstant(clampingMillisecondsSince1970: 1_767_225_600_000 + milliseconds)
}

/// A record was not parsed as expected.
struct NotARefund: Error {}

/// Creates notification records about a refund from a few values.
struct RefundNotification {
    var type: NotificationType
    /// The signing time in milliseconds. By default, the record is received a second later.
    var signed: Int64
    var received: Int64?
    var uuid: String?
    var reason: String?
    var transaction: JSONObject = RefundNotification.purchase
    var environment = "Production"
    var isSigned = true
    /// The version 1 body.
    var legacy: JSONObject?
    /// Whether this is a REFUND with subtype SEATS. The transaction then has no revocationDate.
    var isOfSeats = false
    /// The time when the record is read, on our clock.
    var readAt: Int64?

    static let purchase: JSONObject = [
        "transactionId": "7", "originalTransactionId": "7", "bundleId": "com.example", "productId": "coins",
        "type": "Consumable", "environment": "Production", "price": 4990, "currency": "USD", "quantity": 1,
        "appAccountToken": "7e3fb204-2d5b-4a5c-8f1e-000000000001", "appTransactionId": "70",
        "inAppOwnershipType": "PURCHASED",
    ]

    init(_ type: NotificationType, signed: Int64, received: Int64? = nil, uuid: String? = nil) {
        self.type = type
        self.signed = signed
        self.received = received
        self.uuid = uuid
    }

    var reading: RefundReading {
        get throws {
            var data: JSONObject = ["bundleId": "com.example", "environment": .string(environment)]
            data["consumptionRequestReason"] = reason.map { .string($0) }
            var notification: JSONObject = ["version": "2.0"]
            notification["notificationType"] = .string(type.rawValue)
            notification["notificationUUID"] = .string(uuid ?? "\(type)-\(signed)")
            notification["signedDate"] = .integer(at(signed).millisecondsSince1970)
            notification[type == .rescindConsent ? "appData" : "data"] = .object(data)
            var value: JSONObject = ["notification": .object(notification)]
            if type == .rescindConsent {
                value["appTransaction"] = ["appTransactionId": "70"]
            } else {
                var transaction = transaction
                transaction["signedDate"] = .integer(at(signed).millisecondsSince1970)
                if type == .refund, !isOfSeats {
                    transaction["revocationDate"] = .integer(at(signed).millisecondsSince1970)
                }
                value["transaction"] = .object(transaction)
            }
            value["legacy"] = legacy.map { .object($0) }
            let record = try Self.record(
                JSONValue.object(value).json, trust: isSigned ? .signed : .sharedSecret,
                receivedAt: at(received ?? signed + 1_000))
            return RefundReading(
                record, environment: environment == "Production" ? .production : .sandbox, timestamp: 0,
                now: at(readAt ?? received ?? signed + 1_000))
        }
    }

    static func record(
        _ value: [UInt8], trust: RecordTrust = .signed, receivedAt: AppStoreInstant? = nil
    ) throws -> NotificationRecord {
        var headers = [KafkaHeader(key: RecordHeaderName.trust.rawValue, text: trust.rawValue)]
        if let receivedAt {
            headers.append(KafkaHeader(key: RecordHeaderName.receivedTime.rawValue, text: receivedAt.description))
        }
        return try NotificationRecord(key: nil, value: value, headers: headers)
    }

    func refund() throws -> RefundCase {
        guard case .refund(let refund) = try reading else { throw NotARefund() }
        return refund
    }
}

func request(_ signed: Int64, received: Int64? = nil, uuid: String? = nil) -> RefundNotification {
    RefundNotification(.consumptionRequest, signed: signed, received: received, uuid: uuid)
}

/// Returns the result of merging all notifications in this order.
func merged(_ notifications: [RefundNotification]) throws -> RefundCase {
    var refunds = try notifications.map { try $0.refund() }
    var first = refunds.removeFirst()
    for refund in refunds { first.merge(refund) }
    return first
}

extension RefundCase {
    var rounds: RefundRounds { RefundRounds(self) }

    /// Records that Apple accepts the answer of the newest round.
    mutating func accept(at moment: Int64) throws {
        guard let round = rounds.newest else { throw NotARefund() }
        insert(AnswerAcceptance(through: round.through, at: RefundCasesTests.at(moment), attempts: 1))
    }

    /// Ends the newest round without an accepted answer.
    mutating func end(_ kind: AnswerEnd.Kind, at moment: Int64) throws {
        guard let round = rounds.newest else { throw NotARefund() }
        insert(AnswerEnd(kind, through: round.through, at: RefundCasesTests.at(moment), reason: "why"))
    }
}
