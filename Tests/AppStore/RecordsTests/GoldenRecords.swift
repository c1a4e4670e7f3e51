import AppStoreModel
import JSON
import KafkaModel
import Records
import Testing

/// A payload, its extracted parts, and the expected record. They form a contract with every consumer.
struct GoldenRecord: Sendable {
    var name: String
    var notification: String
    var transaction: String?
    var renewalInfo: String?
    var appTransaction: String?
    var legacy: String?
    var evidence: RecordContent.Evidence?
    var trust = RecordTrust.signed
    var origin = RecordOrigin.live
    var traceParent: String?

    var key: String
    var value: String
    var headers: [String]

    static let receivedAt = AppStoreInstant(clampingMillisecondsSince1970: 1_790_000_001_042)

    /// Builds the record as the ingress does.
    func produced() throws -> KafkaProducerRecord? {
        let document = try JSONDocument.object(Array(notification.utf8))
        let envelope = NotificationEnvelope(document)
        let identity = RecordIdentity(
            envelope, transaction: try transaction.map { TransactionEnvelope(try JSONDocument(Array($0.utf8))) },
            renewalInfo: try renewalInfo.map { RenewalInfoEnvelope(try JSONDocument(Array($0.utf8))) },
            appTransaction: try appTransaction.map { AppTransactionEnvelope(try JSONDocument(Array($0.utf8))) })
        guard let identity else { return nil }
        let content = RecordContent(
            notification: document.bytes, nestedJWSTexts: envelope.nestedJWSTexts,
            transaction: transaction.map { Array($0.utf8) }, renewalInfo: renewalInfo.map { Array($0.utf8) },
            appTransaction: appTransaction.map { Array($0.utf8) }, legacy: legacy.map { Array($0.utf8) },
            evidence: evidence)
        return KafkaProducerRecord(
            identity, to: TopicNames().notifications(identity.environment), content: content,
            receivedAt: Self.receivedAt, trust: trust, origin: origin,
            traceParent: traceParent)
    }

    /// The members of a proof.
    enum Signed: String { case notification, transaction, renewalInfo, appTransaction }

    static let header = HeaderReference(rawValue: String(repeating: "0123456789abcdef", count: 4))
    static let signature = String(repeating: "A", count: 85) + "Q"

    /// Returns a proof with these members, all under one header segment.
    private static func proof(_ members: Signed...) -> RecordContent.Evidence {
        let part = RecordProof.Part(header: header, signature: Array(signature.utf8)[...])
        func named(_ member: Signed) -> RecordProof.Part? { members.contains(member) ? part : nil }
        return .proof(
            RecordProof(
                notification: part, transaction: named(.transaction), renewalInfo: named(.renewalInfo),
                appTransaction: named(.appTransaction)))
    }

    private static func proofText(_ members: Signed...) -> String {
        let parts = members.map {
            #""\#($0.rawValue)":{"header":"\#(header.rawValue)","signature":"\#(signature)"}"#
        }
        return #""proof":{"# + parts.joined(separator: ",") + "}"
    }

    static let all: [GoldenRecord] = [
        subscription, oneTime, summary, externalPurchase, rescindedConsent, test, version1,
    ]

    static let subscription = GoldenRecord(
        name: "subscription",
        notification: #"""
            { "notificationType": "DID_FAIL_TO_RENEW", "subtype": "GRACE_PERIOD", "signedDate": 1790000000000.9,
              "notificationUUID": "5b1d7b1e-2f5c-4f0a-9a54-0c3f1e9d7a10", "version": "2.0", "tomorrow": [1.50, "\u00e9"],
              "data": { "bundleId": "com.example.app", "signedTransactionInfo": "h.t.s",  "environment": "Production",
                        "appAppleId": 1234567890, "signedRenewalInfo": "h.r.s" } }
            """#,
        transaction: #"{"transactionId":"7","originalTransactionId":"5", "price": 10990}"#,
        renewalInfo: #"{"originalTransactionId":"5","autoRenewStatus":1}"#,
        evidence: proof(.notification, .transaction, .renewalInfo),
        traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        key: "com.example.app/5",
        value: #"""
            {"notification":{ "notificationType": "DID_FAIL_TO_RENEW", "subtype": "GRACE_PERIOD", "signedDate": 1790000000000.9,
              "notificationUUID": "5b1d7b1e-2f5c-4f0a-9a54-0c3f1e9d7a10", "version": "2.0", "tomorrow": [1.50, "\u00e9"],
              "data": { "bundleId": "com.example.app", "signedTransactionInfo": "",  "environment": "Production",
                        "appAppleId": 1234567890, "signedRenewalInfo": "" } },"transaction":{"transactionId":"7","originalTransactionId":"5", "price": 10990},"renewalInfo":{"originalTransactionId":"5","autoRenewStatus":1},"proof":{"notification":{"header":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQ"},"transaction":{"header":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQ"},"renewalInfo":{"header":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQ"}}}
            """#,
        headers: [
            "ce_specversion: 1.0", "ce_id: 5b1d7b1e-2f5c-4f0a-9a54-0c3f1e9d7a10",
            "ce_type: com.apple.appstore.DID_FAIL_TO_RENEW.GRACE_PERIOD",
            "ce_source: /appstore/Production/com.example.app", "ce_subject: 5", "ce_time: 2026-09-21T14:13:20.000Z",
            "content-type: application/json", "ce_environment: Production", "ce_bundleid: com.example.app",
            "ce_receivedtime: 2026-09-21T14:13:21.042Z", "ce_trust: signed", "ce_origin: live",
            "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ])

    static let oneTime = GoldenRecord(
        name: "one-time charge",
        notification: #"{"notificationType":"ONE_TIME_CHARGE","notificationUUID":"u-1","version":"2.0","#
            + #""signedDate":1790000000000,"data":{"environment":"Sandbox","bundleId":"b","signedTransactionInfo":"x"}}"#,
        transaction: #"{"transactionId":"9","originalTransactionId":"9"}"#,
        evidence: .signedPayload(Array("a.b.c".utf8)),
        origin: .history,
        key: "b/9",
        value: #"{"notification":{"notificationType":"ONE_TIME_CHARGE","notificationUUID":"u-1","version":"2.0","#
            + #""signedDate":1790000000000,"data":{"environment":"Sandbox","bundleId":"b","#
            + #""signedTransactionInfo":""}},"transaction":{"transactionId":"9","originalTransactionId":"9"},"signedPayload":"a.b.c"}"#,
        headers: headers(
            id: "u-1", type: "ONE_TIME_CHARGE", environment: "Sandbox", bundleId: "b", subject: "9", origin: "history"))

    static let summary = GoldenRecord(
        name: "summary",
        notification: #"{"notificationType":"RENEWAL_EXTENSION","subtype":"SUMMARY","notificationUUID":"u-2","#
            + #""signedDate":1790000000000,"summary":{"environment":"Production","bundleId":"b","requestIdentifier":"r"}}"#,
        evidence: proof(.notification),
        key: "b/r",
        value: #"{"notification":{"notificationType":"RENEWAL_EXTENSION","subtype":"SUMMARY","notificationUUID":"u-2","#
            + #""signedDate":1790000000000,"summary":{"environment":"Production","bundleId":"b","#
            + #""requestIdentifier":"r"}},"# + proofText(.notification) + "}",
        headers: headers(id: "u-2", type: "RENEWAL_EXTENSION.SUMMARY", environment: "Production", bundleId: "b"))

    static let externalPurchase = GoldenRecord(
        name: "external purchase token",
        notification: #"{"notificationType":"EXTERNAL_PURCHASE_TOKEN","subtype":"UNREPORTED","notificationUUID":"u-3","#
            + #""signedDate":1790000000000,"externalPurchaseToken":{"externalPurchaseId":"SANDBOX_1","bundleId":"b"}}"#,
        evidence: proof(.notification),
        key: "b/SANDBOX_1",
        value: #"{"notification":{"notificationType":"EXTERNAL_PURCHASE_TOKEN","subtype":"UNREPORTED","#
            + #""notificationUUID":"u-3","signedDate":1790000000000,"externalPurchaseToken":{"#
            + #""externalPurchaseId":"SANDBOX_1","bundleId":"b"}},"# + proofText(.notification) + "}",
        headers: headers(id: "u-3", type: "EXTERNAL_PURCHASE_TOKEN.UNREPORTED", environment: "Sandbox", bundleId: "b"))

    static let rescindedConsent = GoldenRecord(
        name: "rescinded consent",
        notification: #"{"notificationType":"RESCIND_CONSENT","notificationUUID":"u-4","signedDate":1790000000000,"#
            + #""appData":{"environment":"Production","bundleId":"b","signedAppTransactionInfo":"x.y.z"}}"#,
        appTransaction: #"{"appTransactionId":"71134","receiptType":"Production"}"#,
        evidence: proof(.notification, .appTransaction),
        key: "b/71134",
        value: #"{"notification":{"notificationType":"RESCIND_CONSENT","notificationUUID":"u-4","#
            + #""signedDate":1790000000000,"appData":{"environment":"Production","bundleId":"b","#
            + #""signedAppTransactionInfo":""}},"appTransaction":{"appTransactionId":"71134","#
            + #""receiptType":"Production"},"# + proofText(.notification, .appTransaction) + "}",
        headers: headers(id: "u-4", type: "RESCIND_CONSENT", environment: "Production", bundleId: "b"))

    static let test = GoldenRecord(
        name: "test",
        notification: #"{"notificationType":"TEST","notificationUUID":"u-5","signedDate":1790000000000,"#
            + #""data":{"environment":"Sandbox","bundleId":"b"}}"#,
        evidence: proof(.notification),
        origin: .replay,
        key: "b/u-5",
        value: #"{"notification":{"notificationType":"TEST","notificationUUID":"u-5","signedDate":1790000000000,"#
            + #""data":{"environment":"Sandbox","bundleId":"b"}},"# + proofText(.notification) + "}",
        headers: headers(id: "u-5", type: "TEST", environment: "Sandbox", bundleId: "b", origin: "replay"))

    static let version1 = GoldenRecord(
        name: "version 1",
        notification: #"{"notificationType":"DID_RENEW","notificationUUID":"digest","signedDate":1790000000000,"#
            + #""data":{"environment":"Production","bundleId":"b"}}"#,
        renewalInfo: #"{"originalTransactionId":"5","autoRenewStatus":1}"#,
        legacy: #"{"notification_type":"DID_RENEW"}"#,
        trust: .sharedSecret,
        key: "b/5",
        value: #"{"notification":{"notificationType":"DID_RENEW","notificationUUID":"digest","#
            + #""signedDate":1790000000000,"data":{"environment":"Production","bundleId":"b"}},"#
            + #""renewalInfo":{"originalTransactionId":"5","autoRenewStatus":1},"#
            + #""legacy":{"notification_type":"DID_RENEW"}}"#,
        headers: headers(
            id: "digest", type: "DID_RENEW", environment: "Production", bundleId: "b", subject: "5",
            trust: "shared-secret"))

    private static func headers(
        id: String, type: String, environment: String, bundleId: String, subject: String? = nil,
        trust: String = "signed", origin: String = "live"
    ) -> [String] {
        [
            "ce_specversion: 1.0", "ce_id: \(id)", "ce_type: com.apple.appstore.\(type)",
            "ce_source: /appstore/\(environment)/\(bundleId)",
        ] + (subject.map { ["ce_subject: \($0)"] } ?? []) + [
            "ce_time: 2026-09-21T14:13:20.000Z", "content-type: application/json", "ce_environment: \(environment)",
            "ce_bundleid: \(bundleId)", "ce_receivedtime: 2026-09-21T14:13:21.042Z", "ce_trust: \(trust)",
            "ce_origin: \(origin)",
        ]
    }
}

extension GoldenRecord: CustomTestStringConvertible {
    var testDescription: String { name }
}
