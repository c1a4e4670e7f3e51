import AppStoreModel
import JSON
import LegacyNotifications
import Testing

/// A documented type and its recipients.
struct TypeCase: Sendable, CustomTestStringConvertible {
    let type: String
    let mapped: String
    /// The recipients: the purchaser or a family member.
    let audience: Set<String>
    let isSentInSandbox: Bool

    init(_ type: String, _ mapped: String, _ audience: Set<String>, sandbox: Bool = false) {
        self.type = type
        self.mapped = mapped
        self.audience = audience
        isSentInSandbox = sandbox
    }

    var testDescription: String { type }

    static let all: [TypeCase] = [
        TypeCase("INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY", ["PURCHASED"], sandbox: true),
        TypeCase("DID_RENEW", "DID_RENEW", ["PURCHASED", "FAMILY_SHARED"], sandbox: true),
        TypeCase("DID_RECOVER", "DID_RENEW/BILLING_RECOVERY", ["PURCHASED", "FAMILY_SHARED"]),
        TypeCase("RENEWAL", "DID_RENEW/BILLING_RECOVERY", []),
        TypeCase("INTERACTIVE_RENEWAL", "SUBSCRIBED/RESUBSCRIBE", ["PURCHASED", "FAMILY_SHARED"], sandbox: true),
        TypeCase("DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF", ["PURCHASED", "FAMILY_SHARED"], sandbox: true),
        TypeCase(
            "DID_CHANGE_RENEWAL_STATUS", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            ["PURCHASED", "FAMILY_SHARED"], sandbox: true),
        TypeCase("DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW", ["PURCHASED", "FAMILY_SHARED"]),
        TypeCase("PRICE_INCREASE_CONSENT", "PRICE_INCREASE/PENDING", ["PURCHASED"]),
        TypeCase("CANCEL", "REFUND", ["PURCHASED"], sandbox: true),
        TypeCase("REFUND", "REFUND", ["PURCHASED"], sandbox: true),
        TypeCase("REVOKE", "REVOKE", ["FAMILY_SHARED"]),
        TypeCase("CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST", ["PURCHASED"]),
    ]

    func draft(ownership: String) -> LegacyDraft {
        var subject = transaction("100", with: ["in_app_ownership_type": .string(ownership)])
        if ["CANCEL", "REFUND", "REVOKE"].contains(type) { subject["cancellation_date_ms"] = text(at: 5 * day) }
        return LegacyDraft(type, [subject], [renewal()])
    }
}

@Suite("Version 1 types") struct LegacyTypeTests {
    @Test(arguments: TypeCase.all) func `all types are mapped`(row: TypeCase) throws {
        let notification = try row.draft(ownership: "PURCHASED").read()
        #expect(notification.source == .v1)
        #expect(notification.rawType == row.type)
        #expect(notification.mapped == row.mapped)
        #expect(notification.notificationType.isKnown)
        #expect(notification.transactionId?.rawValue == "100")
        #expect(try notification.payload.version == "1.0")
    }

    @Test(arguments: TypeCase.all) func `the ownership is taken from the transaction`(row: TypeCase) throws {
        for ownership in row.audience {
            let notification = try row.draft(ownership: ownership).read()
            #expect(try notification.transactionPayload?.inAppOwnershipType == InAppOwnershipType(ownership))
        }
    }

    @Test(arguments: TypeCase.all.filter(\.isSentInSandbox)) func `sandbox notifications have the sandbox environment`(
        row: TypeCase
    ) throws {
        var draft = row.draft(ownership: "PURCHASED")
        draft.body["environment"] = "Sandbox"
        draft.receipt?["environment"] = "Sandbox"
        let notification = try draft.read()
        #expect(notification.environment == .sandbox)
        #expect(try notification.payload.data?.environment == .sandbox)
        #expect(try notification.transactionPayload?.environment == .sandbox)
        #expect(notification.mapped == row.mapped)
        #expect(notification.eventId != (try row.draft(ownership: "PURCHASED").read().eventId))
    }

    static let oldest = [
        "INITIAL_BUY", "CANCEL", "RENEWAL", "INTERACTIVE_RENEWAL", "DID_CHANGE_RENEWAL_PREF",
        "DID_CHANGE_RENEWAL_STATUS",
    ]

    @Test(arguments: oldest) func `all status update types are mapped`(type: String) throws {
        let notification = try LegacyDraft(
            oldest: type, latest: type == "CANCEL" ? nil : receipt("100"),
            expired: type == "CANCEL" ? receipt("100") : nil,
            type == "CANCEL" ? ["cancellation_date_ms": text(at: day)] : [:]
        ).read()
        #expect(notification.source == .v0)
        #expect(notification.notificationType.isKnown)
        #expect(notification.transactionId?.rawValue == "100")
        #expect(try notification.payload.version == "0.0")
        #expect(try notification.transactionPayload?.inAppOwnershipType == .purchased)
    }

    @Test func `undocumented types are kept as sent and marked`() throws {
        let notification = try LegacyDraft("SOMETHING_NEW", [transaction("100")]).read()
        #expect(notification.notificationType == LegacyNotification.unknownType)
        #expect(!notification.notificationType.isKnown)
        #expect(notification.rawType == "SOMETHING_NEW")
        #expect(notification.transactionId?.rawValue == "100")
    }
}
