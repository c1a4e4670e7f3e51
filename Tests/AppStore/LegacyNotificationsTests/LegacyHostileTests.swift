import AppStoreModel
import JSON
import LegacyNotifications
import Testing

/// A body and its expected error.
struct HostileCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let draft: LegacyDraft
    let code: LegacyError.Code?

    init(_ name: String, _ code: LegacyError.Code?, _ change: (inout LegacyDraft) -> Void) {
        testDescription = name
        var draft = LegacyDraft("DID_RENEW", [transaction("100")], [renewal()])
        change(&draft)
        self.draft = draft
        self.code = code
    }

    init(_ name: String, _ code: LegacyError.Code?, subject field: String, _ value: JSONValue) {
        self.init(name, code) { draft in
            draft.receipt?["latest_receipt_info"] = [.object(transaction("100", with: [field: value]))]
        }
    }
}

@Suite("Hostile and malformed bodies") struct LegacyHostileTests {
    @Test(arguments: odd + forbidden + quarantined + read)
    func `each body is quarantined or parsed according to its fault`(row: HostileCase) throws {
        #expect(try row.draft.fault()?.code == row.code)
    }

    @Test func `the fault determines the outcome`() throws {
        #expect(try Self.odd.allSatisfy { try $0.draft.fault()?.outcome == .quarantined })
        #expect(try Self.forbidden.allSatisfy { try $0.draft.fault()?.outcome == .forbidden })
        #expect(try Self.quarantined.allSatisfy { try $0.draft.fault()?.outcome == .quarantined })
    }

    @Test func `the description of a fault contains nothing from the body`() throws {
        let draft = LegacyDraft("DID_RENEW", [transaction("secret\u{1}text")])
        let fault = try #require(try draft.fault())
        #expect(!fault.description.contains("secret"))
        #expect(fault.description.hasPrefix("text: "))
    }

    /// The sender knew the password, and Apple keeps no history of version 1, so a rejected notification would be lost.
    private static let odd: [HostileCase] = [
        HostileCase("environment Production", .environment) { $0.body["environment"] = "Production" },
        HostileCase("environment prod", .environment) { $0.body["environment"] = "prod" },
        HostileCase("environment Xcode", .environment) { $0.body["environment"] = "Xcode" },
        HostileCase("environment absent", .environment) { $0.body["environment"] = nil },
        HostileCase("environment a number", .environment) { $0.body["environment"] = 1 },
        HostileCase("PROD with a sandbox receipt", .environmentMismatch) {
            $0.receipt?["environment"] = "Sandbox"
        },
        HostileCase("Sandbox with a production receipt", .environmentMismatch) {
            $0.body["environment"] = "Sandbox"
        },
        HostileCase("no type", .form) { $0.body["notification_type"] = nil },
        HostileCase("an empty type", .form) { $0.body["notification_type"] = "" },
        HostileCase("a number as type", .form) { $0.body["notification_type"] = 7 },
        HostileCase("1001 transactions", .tooManyElements) { draft in
            draft.receipt?["latest_receipt_info"] = .array(
                (0..<1001).map { .object(transaction(String(100 + $0))) })
        },
        HostileCase("1001 renewals", .tooManyElements) { draft in
            draft.receipt?["pending_renewal_info"] = .array((0..<1001).map { _ in .object(renewal()) })
        },
        HostileCase("100000 elements that are not objects", .tooManyElements) { draft in
            draft.receipt?["latest_receipt_info"] = .array(
                [JSONValue](repeating: [:], count: 1000) + [JSONValue](repeating: 0, count: 99_000))
        },
    ]

    private static let forbidden: [HostileCase] = [
        HostileCase("another bid", .otherApp) { $0.body["bid"] = "com.example.other" },
        HostileCase("another bid in the receipt of the oldest format", .otherApp) {
            $0 = LegacyDraft(oldest: "DID_RENEW", latest: receipt("100", with: ["bid": "com.example.other"]))
        },
    ]

    @Test func `a body with a bid that is not a string is quarantined`() throws {
        var draft = LegacyDraft("DID_RENEW", [transaction("100")])
        draft.body["bid"] = 1
        #expect(try draft.fault()?.outcome == .quarantined)
    }

    private static let long = JSONValue.string(String(repeating: "1", count: 257))

    private static let quarantined: [HostileCase] = [
        HostileCase("unified_receipt is a string", .receipt) {
            $0.receipt = nil
            $0.body["unified_receipt"] = "MIIT"
        },
        HostileCase("an unknown environment inside the receipt", .receipt) { $0.receipt?["environment"] = "PROD" },
        HostileCase("transactions are not an array", .receipt) { $0.receipt?["latest_receipt_info"] = [:] },
        HostileCase("renewals are not an array", .receipt) { $0.receipt?["pending_renewal_info"] = "none" },
        HostileCase("a transaction is not an object", .receipt) { $0.receipt?["latest_receipt_info"] = [1] },
        HostileCase("a receipt of the oldest format is a string", .receipt) {
            $0 = LegacyDraft(oldest: "CANCEL")
            $0.body["latest_expired_receipt_info"] = "MIIT"
        },
        HostileCase("a type with a line feed", .text) { $0.body["notification_type"] = "DID_RENEW\n" },
        HostileCase("a long type", .text) { $0.body["notification_type"] = long },
        HostileCase("a purchase that is not a number", .text) { $0.body["original_transaction_id"] = "../1" },
        HostileCase("a negative purchase", .text) { $0.body["original_transaction_id"] = -100 },
        HostileCase("a purchase with an exponent", .text) {
            $0.body["original_transaction_id"] = .number(
                (try? JSONValue(json: Array("1e2".utf8)))?.number ?? JSONNumber(0))
        },
        HostileCase("a purchase of another kind", .receipt) { $0.body["original_transaction_id"] = true },
        HostileCase("a long transaction id", .text, subject: "transaction_id", long),
        HostileCase("a transaction id with a letter", .text, subject: "transaction_id", "1a"),
        HostileCase("a purchase of a transaction with a space", .text, subject: "original_transaction_id", "10 0"),
        HostileCase("a long product", .text, subject: "product_id", .string(String(repeating: "p", count: 257))),
        HostileCase("a product with a control character", .text, subject: "product_id", "pro\u{0}"),
        HostileCase("a product with a control character of Latin-1", .text, subject: "product_id", "pro\u{85}"),
        HostileCase("a product that is an object", .receipt, subject: "product_id", [:]),
        HostileCase("an account with a line feed", .text, subject: "app_account_token", "7\n8"),
        HostileCase("an ownership with a tab", .text, subject: "in_app_ownership_type", "PURCHASED\t"),
        HostileCase(
            "an offer of 10 kB", .text, subject: "promotional_offer_id", .string(String(repeating: "o", count: 10_000))),
        HostileCase("a renewal with a long product", .text) {
            $0.receipt?["pending_renewal_info"] = [.object(renewal("1", next: String(repeating: "p", count: 257)))]
        },
    ]

    private static let read: [HostileCase] = [
        HostileCase("unchanged", nil) { _ in },
        HostileCase("1000 transactions", nil) { draft in
            draft.receipt?["latest_receipt_info"] = .array(
                (0..<1000).map { .object(transaction(String(100 + $0))) })
        },
        HostileCase("no bid", nil) { $0.body["bid"] = nil },
        HostileCase("null fields", nil) {
            $0.body = $0.body + ["bid": .null, "auto_renew_status": .null, "auto_renew_product_id": .null]
        },
        HostileCase("an invalid receipt, as observed", nil) { $0.receipt?["status"] = "OK" },
        HostileCase("a negative quantity", nil, subject: "quantity", "-1"),
        HostileCase("a purchase as a number", nil, subject: "original_transaction_id", 100),
        HostileCase("a product of 256 bytes", nil, subject: "product_id", .string(String(repeating: "p", count: 256))),
        HostileCase("an undocumented ownership", nil, subject: "in_app_ownership_type", "ASSIGNED"),
        HostileCase("receipts of the oldest format next to a unified one", nil) {
            $0.body["latest_receipt_info"] = .object(receipt("999", bought: 90 * day))
        },
    ]

    @Test func `a body with both kinds of receipts is parsed as version 1`() throws {
        var draft = LegacyDraft("DID_RENEW", [transaction("100")])
        draft.body["latest_receipt_info"] = .object(receipt("999", bought: 90 * day))
        #expect(try draft.read().source == .v1)
        #expect(try draft.read().transactionId?.rawValue == "100")
    }

    @Test func `a body without bid belongs to the app of its secret`() throws {
        var draft = LegacyDraft("DID_RENEW", [transaction("100")])
        draft.body["bid"] = nil
        let notification = try draft.read(as: BundleId("com.example.two"))
        #expect(notification.bundleId.rawValue == "com.example.two")
        #expect(try notification.transactionPayload?.bundleId?.rawValue == "com.example.two")
        #expect(LegacyBody(try draft.document()).bundleId == .absent)
    }

    @Test func `version 1 names its app in bid, a status update in a receipt`() throws {
        #expect(LegacyBody(try LegacyDraft("DID_RENEW", []).document()).bundleId == .value(app))
        #expect(
            LegacyBody(try LegacyDraft(oldest: "CANCEL", expired: receipt("1")).document()).bundleId == .value(app))
    }
}
