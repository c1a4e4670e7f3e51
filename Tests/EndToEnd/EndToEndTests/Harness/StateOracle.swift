import AppStoreModel
import EntitlementRules
import Foundation
import Simulator

/// Computes the state from notifications in the simplest way: the last signed statement about each transaction, the
/// renewal and the status, and each notification once in the history. It shares no code with EntitlementRules.
struct StateOracle: Sendable {
    /// A signed statement about one subject, with the signing time.
    private struct Word: Sendable {
        let signed: Int64
        let uuid: String
        let line: String

        func replaces(_ other: Word?) -> Bool { other.map { ($0.signed, $0.uuid) < (signed, uuid) } ?? true }
    }

    private struct Purchase: Sendable {
        var events: [String: String] = [:]
        /// By transactionId; the renewal and the status by their names.
        var words: [String: Word] = [:]
    }

    /// Purchases by record key.
    private var purchases: [String: Purchase] = [:]

    /// The notificationUUIDs of all processed notifications.
    var notificationUUIDs: Set<String> { purchases.values.reduce(into: []) { $0.formUnion($1.events.keys) } }

    /// One line for each fact, sorted, by record key.
    var lines: [String: [String]] {
        purchases.mapValues { ($0.events.values + $0.words.values.map(\.line)).sorted() }
    }

    mutating func take(_ notification: UnsignedNotification) {
        let uuid = notification.notificationUUID.rawValue
        let key = "\(notification.bundleId.rawValue)/\(notification.subject)"
        guard purchases[key]?.events[uuid] == nil, let payload = JSON.object(notification.unsigned) else { return }
        var purchase = purchases[key] ?? Purchase()
        purchase.events[uuid] = Self.line("event", payload, Self.eventFields, payload, uuid)
        func say(_ name: String, _ kind: String, _ fields: [String], _ object: JSON.Object?, _ version: JSON.Object?) {
            guard let object, let version else { return }
            let word = Word(
                signed: version.integer("signedDate") ?? 0, uuid: uuid,
                // A published state preserves some bytes of the notification that contained a transaction.
                line: Self.line(kind, object, fields, version, kind == "transaction" ? "" : uuid))
            if word.replaces(purchase.words[name]) { purchase.words[name] = word }
        }
        let transaction = notification.transaction.flatMap { JSON.object($0) }
        say(transaction?.text("transactionId") ?? "", "transaction", Self.transactionFields, transaction, transaction)
        let renewal = notification.renewalInfo.flatMap { JSON.object($0) }
        say("renewal", "renewal", Self.renewalFields, renewal, renewal)
        let data = payload.object("data")
        if data?.integer("status") != nil { say("status", "status", ["status"], data, payload) }
        purchases[key] = purchase
    }

    /// Returns the lines of a record in the entitlements topic; `nil` for a value that is not a state. EntitlementRules
    /// only decodes the format: the content must come from the notifications.
    static func lines(published value: [UInt8]) -> [String]? {
        guard let state = try? PurchaseFacts(published: value), let facts = JSON.object(value)?.object("facts") else {
            return nil
        }
        func line(_ kind: String, _ fields: [String], _ object: JSON.Object) -> String {
            Self.line(kind, object, fields, object, object.text("notificationUUID") ?? "")
        }
        var lines = state.events.map { event in
            let version = event.version
            return Self.line(
                "event", [event.notificationType.rawValue, event.subtype?.rawValue],
                version.signedDate, version.notificationUUID?.rawValue ?? "")
        }
        lines += state.transactions.values.map { transaction in
            let dates = [transaction.start, transaction.expiresDate, transaction.revocationDate].map {
                $0.map { "\($0.millisecondsSince1970)" }
            }
            return Self.line(
                "transaction",
                [transaction.transactionId.rawValue, transaction.productId?.rawValue] + dates
                    + [transaction.appAccountToken?.rawValue],
                transaction.version.signedDate, "")
        }
        lines += facts.object("renewalInfo").map { [line("renewal", renewalFields, $0)] } ?? []
        lines += facts.object("status").map { [line("status", ["status"], $0)] } ?? []
        return lines.sorted()
    }

    private static func line(
        _ kind: String, _ values: [String?], _ signedDate: AppStoreInstant, _ uuid: String
    ) -> String {
        ([kind] + values.map { $0 ?? "-" } + ["\(signedDate.millisecondsSince1970)", uuid]).joined(separator: " ")
    }

    private static let eventFields = ["notificationType", "subtype"]
    private static let transactionFields = [
        "transactionId", "productId", "purchaseDate", "expiresDate", "revocationDate", "appAccountToken",
    ]
    private static let renewalFields = [
        "autoRenewProductId", "autoRenewStatus", "gracePeriodExpiresDate", "expirationIntent",
    ]

    private static func line(
        _ kind: String, _ object: JSON.Object, _ fields: [String], _ version: JSON.Object, _ uuid: String
    ) -> String {
        let values = fields.map { name in object[name].map { "\($0)" } ?? "-" }
        return ([kind] + values + ["\(version.integer("signedDate") ?? 0)", uuid]).joined(separator: " ")
    }
}
