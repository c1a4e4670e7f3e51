import AppStoreSigning
import AppStoreTestSupport
import Testing

@testable import AppStoreVerification

/// Check 14 for rare fields.
@Suite struct ProfileFieldTests {
    private static func summary(_ requestIdentifier: String) -> NotificationDraft {
        .with {
            $0.outer["notificationType"] = "\"RENEWAL_EXTENSION\""
            $0.outer["subtype"] = "\"SUMMARY\""
            $0.container = "summary"
            $0.identity["requestIdentifier"] = "\"\(requestIdentifier)\""
            $0.transaction = nil
            $0.renewalInfo = nil
        }
    }

    @Test(arguments: [
        ("758883e8-151b-47b7-abd0-60c4d804c2f5", ExpectedVerdict.accepted), ("a/b", .nonconforming(.profileText)),
        ("../b", .nonconforming(.profileText)), ("a b", .nonconforming(.profileText)),
        ("é", .nonconforming(.profileText)), ("", .nonconforming(.profileText)),
        (String(repeating: "a", count: 128), .accepted),
        (String(repeating: "a", count: 129), .nonconforming(.profileText)),
    ])
    func `the request identifier of a summary must match its grammar`(_ text: String, _ expected: ExpectedVerdict)
        throws
    {
        try HostileNotification("H-109", text, expected, body: { try $0.body(Self.summary(text)) }).check()
    }

    @Test(arguments: ["2.0 ", "2.0/1", "2.é", "2.\\n", "2.0;x"])
    func `a version must be usable as a header`(_ version: String) throws {
        let row = HostileNotification("H-106", version, .nonconforming(.profileVersion)) {
            $0.outer["version"] = "\"\(version)\""
        }
        try row.check()
    }

    @Test(arguments: [nil, "\"3.0\"", "2"] as [String?])
    func `any version is accepted if none is required`(_ version: String?) throws {
        let kit = try SigningKit.shared()
        let body = try kit.body(.with { $0.outer["version"] = version })
        let strict = try kit.verifier().verify(body: body, at: SigningKit.now)
        #expect(ExpectedVerdict(strict) == .nonconforming(.profileVersion))
        let lenient = try kit.verifier { $0.requiresVersion = false }.verify(body: body, at: SigningKit.now)
        #expect(ExpectedVerdict(lenient) == .accepted)
    }

    @Test(arguments: ["\"1/2\"", "\"12a\"", "\"\"", "\"\(String(repeating: "1", count: 129))\""])
    func `numbers in nested objects must match their grammar`(_ number: String) throws {
        try HostileNotification("H-120", "transactionId \(number)", .nonconforming(.profileText)) {
            $0.transaction?["transactionId"] = number
        }.check()
        try HostileNotification("H-120", "originalTransactionId \(number)", .nonconforming(.profileText)) {
            $0.transaction?["originalTransactionId"] = number
            $0.renewalInfo = nil
            $0.outer["notificationType"] = "\"ONE_TIME_CHARGE\""
        }.check()
    }

    @Test(arguments: ["\"a/b\"", "\"a b\"", "\"\"", "\"\(String(repeating: "1", count: 129))\""])
    func `an appTransactionId must match its grammar everywhere`(_ id: String) throws {
        try HostileNotification("H-120", "transaction \(id)", .nonconforming(.profileText)) {
            $0.transaction?["appTransactionId"] = id
        }.check()
        try HostileNotification("H-120", "renewal info \(id)", .nonconforming(.profileText)) {
            $0.renewalInfo?["appTransactionId"] = id
        }.check()
        try HostileNotification("H-120", "app transaction \(id)", .nonconforming(.profileText), .appData) {
            $0.appTransaction?["appTransactionId"] = id
        }.check()
    }

    @Test(arguments: ["1.5", "\"1234567890\"", "1e300", "true"])
    func `the appAppleId of an app transaction must be a whole number, even in the sandbox`(_ number: String) throws {
        try HostileNotification("H-112", "Production \(number)", .nonconforming(.profileNumber), .appData) {
            $0.appTransaction?["appAppleId"] = number
        }.check()
        try HostileNotification("H-112", "Sandbox \(number)", .nonconforming(.profileNumber), .appData) {
            $0.identity["environment"] = "\"Sandbox\""
            $0.appTransaction?["receiptType"] = "\"Sandbox\""
            $0.appTransaction?["appAppleId"] = number
        }.check()
    }
}
