import AppStoreModel
import JSON
import LegacyNotifications

extension FuzzTarget {
    /// Parses a body of version 1 or of the oldest format. Its redacted text must be JSON without the secret, repeated
    /// parsing must give the same result, and the resulting payload must have every documented field and no secret.
    static let legacyBody = FuzzTarget(
        "legacy-body", seeds: LegacySeeds.bodies, tokens: LegacySeeds.tokens, maximumBytes: 2048
    ) { bytes throws(Violation) in
        guard let document = try? JSONDocument.object(bytes) else { return }
        let secret = document.root["password"]?.string ?? ""
        let redacted = LegacyBody(document).redacted()
        guard let kept = try? JSONDocument.object(redacted) else { throw Violation("what is kept is no object") }
        try hold(!contains(JSONValue(kept.root), secret), "the redacted text contains the secret")
        try hold(secret.isEmpty || !contains(redacted, secret), "the redacted text contains the secret's bytes")
        try hold(kept.root["password"] == nil, "the redacted text contains a member named like the secret")
        let receivedAt = AppStoreInstant(clampingMillisecondsSince1970: 1_800_000_000_000)
        let notification: LegacyNotification
        do throws(LegacyError) {
            notification = try read(document, receivedAt)
        } catch {
            let again: LegacyError?
            do throws(LegacyError) {
                _ = try read(document, receivedAt)
                again = nil
            } catch { again = error }
            return try hold(again == error, "parsing again gives another fault")
        }
        try check(notification, receivedAt, secret: secret)
        guard let again = try? read(document, receivedAt) else { throw Violation("parsing again gives a fault") }
        try hold(again.eventId == notification.eventId, "parsing again gives another notification")
        try hold(again.notification == notification.notification, "parsing again gives another text")
    }

    private static func read(
        _ document: JSONDocument, _ receivedAt: AppStoreInstant
    ) throws(LegacyError) -> LegacyNotification {
        try LegacyNotification(document, bundleId: BundleId("com.example.app"), receivedAt: receivedAt)
    }

    private static func check(
        _ notification: LegacyNotification, _ receivedAt: AppStoreInstant, secret: String
    ) throws(Violation) {
        try hold(notification.eventId.utf8.count == 64, "an eventId of \(notification.eventId.utf8.count) bytes")
        try hold(notification.eventTime <= receivedAt, "later than its receipt")
        try hold((notification.transaction == nil) == (notification.transactionId == nil), "half resolved")
        try hold(notification.transaction != nil || notification.renewalInfo == nil, "a renewal without a product")
        for text in [notification.notification, notification.transaction, notification.renewalInfo] {
            guard let text else { continue }
            guard let document = try? JSONDocument.object(text) else { throw Violation("a payload is not an object") }
            // A short secret may be part of a name that Sluice writes.
            let isSecret = secret.utf8.count >= 8 && !LegacySeeds.isOurs(secret)
            try hold(!isSecret || !contains(JSONValue(document.root), secret), "a payload contains the secret")
        }
        guard let payload = try? NotificationPayload(json: notification.notification) else {
            throw Violation("an unreadable notification")
        }
        try hold(payload.fieldProblems.isEmpty, "notification: \(payload.fieldProblems)")
        if let text = notification.transaction {
            guard let transaction = try? TransactionPayload(json: text) else {
                throw Violation("an unreadable transaction")
            }
            try hold(transaction.fieldProblems.isEmpty, "transaction: \(transaction.fieldProblems)")
            try hold(transaction.transactionId == notification.transactionId, "another transaction")
            try hold(transaction.transactionId?.isBounded == true, "an unbounded transactionId")
        }
        if let text = notification.renewalInfo {
            guard let renewal = try? RenewalInfoPayload(json: text) else {
                throw Violation("an unreadable renewal info")
            }
            try hold(renewal.fieldProblems.isEmpty, "renewal info: \(renewal.fieldProblems)")
        }
    }

    /// Whether any name or value contains a text.
    private static func contains(_ value: JSONValue, _ text: String) -> Bool {
        guard !text.isEmpty else { return false }
        return switch value {
        case .string(let string): contains(Array(string.utf8), text)
        case .number(let number): contains(Array(number.text.utf8), text)
        case .array(let elements): elements.contains { contains($0, text) }
        case .object(let object):
            object.members.contains { contains(Array($0.name.utf8), text) || contains($0.value, text) }
        case .null, .bool: false
        }
    }

    /// Compares byte by byte, independently of the search under test.
    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}

enum LegacySeeds {
    static let secret = "0123456789abcdef0123456789abcdef"

    /// Whether a secret occurs in a constant part of payloads.
    static func isOurs(_ secret: String) -> Bool {
        let ours = [
            "Auto-Renewable Subscription", "FREE_TRIAL", "REFUND_FULL", "FAMILY_REVOKE", "PURCHASED", "com.example.app",
            "Production", "Sandbox", "notificationType", "originalTransactionId", "AUTO_RENEW_DISABLED",
            "AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW",
        ]
        return ours.contains { $0.contains(secret) } || secret.allSatisfy { !$0.isLowercase || !$0.isASCII }
    }

    static let bodies: [[UInt8]] = [
        """
        {"notification_type":"DID_FAIL_TO_RENEW","environment":"PROD","password":"\(secret)","bid":"com.example.app",
         "bvrs":"42","auto_renew_product_id":"pro","auto_renew_status":"true","original_transaction_id":100,
         "unified_receipt":{"environment":"Production","status":0,"latest_receipt":"MIIT","latest_receipt_info":[
         {"transaction_id":"101","original_transaction_id":"100","product_id":"pro","quantity":"1",
         "purchase_date_ms":"1789900000000","original_purchase_date_ms":"1787300000000",
         "expires_date_ms":"1792500000000","is_trial_period":"false","in_app_ownership_type":"PURCHASED"},
         {"transaction_id":"100","original_transaction_id":"100","product_id":"basic",
         "purchase_date_ms":"1787300000000","expires_date_ms":"1789900000000","is_upgraded":"true",
         "cancellation_date_ms":"1789900000000"}],"pending_renewal_info":[{"original_transaction_id":"100",
         "product_id":"pro","auto_renew_product_id":"pro","auto_renew_status":"1","is_in_billing_retry_period":"1",
         "grace_period_expires_date_ms":"1793000000000"}]}}
        """,
        """
        {"notification_type":"CANCEL","environment":"Sandbox","password":"\(secret)","web_order_line_item_id":"9",
         "cancellation_date":"2026-09-25 10:26:40 Etc/GMT","latest_expired_receipt":"MIIT",
         "latest_expired_receipt_info":{"transaction_id":"101","original_transaction_id":"100","product_id":"pro",
         "expires_date":"1792500000000","purchase_date_ms":"1789900000000","unique_identifier":"device",
         "bid":"com.example.app","bvrs":"7"},"note":"x\(secret)y","\(secret)":1,"nested":[{"Password":"another-one"}]}
        """,
        """
        {"pass\\u0077ord":"\(secret)","notification_type":"DID_CHANGE_RENEWAL_STATUS","environment":"PROD",
         "auto_renew_status":"false","expiration_intent":1,"unified_receipt":{"latest_receipt_info":[{"transaction_id":"1",
         "original_transaction_id":"1","expires_date_ms":"1","json":"{\\"password\\":\\"\(secret)\\"}"}]}}
        """,
    ].map { Array($0.utf8) }

    static let tokens = [
        secret, "\"password\":", "\"Password\":\"\(secret)\",", "\\u0030123456789abcdef0123456789abcdef", "\\\\u0030",
        "\"unified_receipt\":", "\"latest_receipt_info\":", "\"notification_type\":", "CANCEL", "REFUND", "REVOKE",
        "INTERACTIVE_RENEWAL", "DID_CHANGE_RENEWAL_STATUS", "\"original_transaction_id\":", "PROD", "Sandbox",
        "\"1789900000000\"", "99999999999999999999", "-1", "1e5", "null", "{}", "[]", "{", "}", ",", "\"", "\\", "\\n",
        "\\u0000", " Etc/GMT", "\"is_upgraded\":\"true\",", "\"cancellation_date_ms\":\"1789900000000\",",
    ]
}
