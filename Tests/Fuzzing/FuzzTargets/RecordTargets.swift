import AppStoreModel
import EntitlementRules
import JSON
import KafkaModel
import Records
import TestSupport

extension FuzzTarget {
    /// Parses a record value as consumers do. A null value, invalid JSON and anything but a notification are errors.
    /// All other values are parsed, converted to facts, evaluated and encoded without a trap.
    static func notificationRecord(_ material: SignedMaterial) throws -> FuzzTarget {
        FuzzTarget(
            "notification-record", seeds: try material.recordValues(), tokens: PayloadTokens.all, maximumBytes: 8192
        ) { bytes throws(Violation) in
            let headers = RecordHeaderName.allCases.map { KafkaHeader(key: $0.rawValue, value: bytes.suffix(40)) }
            let quarantined = QuarantineRecord(key: bytes, value: bytes, headers: headers)
            try hold(quarantined.produced(to: "q").value == bytes, "quarantine changes the bytes")
            guard let record = try? NotificationRecord(key: bytes, value: bytes, headers: headers) else { return }
            _ = (record.environment, record.bundleId, record.notificationUUID, record.originalTransactionId)
            _ = (
                record.receivedAt, record.trust, record.origin, record.traceParent, record.legacy, record.signedPayload,
                record.proof
            )
            _ = (record.appTransaction, record.key.flatMap { RecordKey.parts(of: $0) }?.subject)
            _ = try? record.rebuild { _ in bytes }
            let notification = record.notification
            try hold(notification == record.notification, "read twice")
            let facts = PurchaseFacts(
                notification: notification, transaction: record.transaction, renewalInfo: record.renewalInfo)
            if let facts { try checkFacts(facts) }
        }
    }

    /// Parses facts from a store or from the entitlement topic. Encoding and parsing must preserve them.
    static func entitlementFacts(_ material: SignedMaterial) throws -> FuzzTarget {
        let facts = try material.recordValues().compactMap { value -> [UInt8]? in
            let record = try NotificationRecord(key: nil, value: value, headers: [])
            return PurchaseFacts(
                notification: record.notification, transaction: record.transaction, renewalInfo: record.renewalInfo)?
                .jsonText
        }
        return FuzzTarget(
            "entitlement-facts", seeds: facts, tokens: PayloadTokens.all, maximumBytes: 8192
        ) { bytes throws(Violation) in
            if let facts = try? PurchaseFacts(json: bytes) { try checkFacts(facts) }
            if let facts = try? PurchaseFacts(published: bytes) { try checkFacts(facts) }
        }
    }

    private static let rules = ProductRules(
        products: [
            ProductId("com.example.pro"): ProductRule(entitlements: ["pro"], units: .max, lengthDays: .max),
            ProductId("com.example.coins"): ProductRule(
                entitlements: [], units: .max, lengthDays: 1_000_000, accumulation: .overlap),
        ])

    private static func checkFacts(_ facts: PurchaseFacts) throws(Violation) {
        let text = facts.jsonText
        guard let again = try? PurchaseFacts(json: text) else { throw Violation("facts that cannot be read again") }
        try hold(again.jsonText == text, "written again another text")
        try hold(again == facts, "written and read again other facts")
        var merged = facts
        try hold(!merged.merge(again).isChanged, "facts that change by themselves")
        let instants: [AppStoreInstant] = [
            .earliest, AppStoreInstant(clampingMillisecondsSince1970: SignedMaterial.now), .latest,
        ]
        for instant in instants {
            for view in [EntitlementAnswer.View.newestFacts, .history] {
                let answer = EntitlementAnswer(
                    purchases: [facts, again], environment: facts.environment, at: instant, rules: rules, view: view)
                var writer = JSONWriter()
                writer.object { answer.write(to: &$0) }
                try hold((try? JSONValue(json: writer.bytes)) != nil, "an answer that is not JSON")
                _ = answer.balances.map(\.netUnits)
            }
            // Erased facts are published as a tombstone.
            guard let value = facts.published(at: instant, rules: rules).value else { continue }
            guard let published = try? PurchaseFacts(published: value) else {
                throw Violation("a published record that cannot be read")
            }
            try hold(published == facts, "published other facts")
        }
    }
}

extension SignedMaterial {
    /// The values of the notifications' records; nested texts are decoded without verification.
    func recordValues() throws -> [[UInt8]] {
        try payloads.prefix(12).map { payload in
            let envelope = NotificationEnvelope(try JSONDocument.object(payload))
            func nested(_ field: EnvelopeField<Range<Int>>) throws -> [UInt8]? {
                try field.value.map { try CompactJWS.payload(Array(payload[$0])) }
            }
            return RecordContent(
                notification: payload, nestedJWSTexts: envelope.nestedJWSTexts,
                transaction: try nested(envelope.signedTransactionInfo),
                renewalInfo: try nested(envelope.signedRenewalInfo)
            ).value
        }
    }
}
