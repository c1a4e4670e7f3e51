import AppStoreModel
import Records
import Testing

@testable import Entitlements

@Suite struct EntitlementsQueryTests {
    @Test func `a query names its subject, and everything else has a default`() throws {
        let query = try EntitlementsQuery("originalTransactionId=1000")
        #expect(query.subject == .originalTransactionId(OriginalTransactionId("1000")))
        #expect(query.environments == .one(.production))
        #expect(query.bundleId == nil)
        #expect(query.at == nil)
    }

    @Test func `an account token is parsed case-insensitively`() throws {
        let lower = try EntitlementsQuery("appAccountToken=\(account)")
        #expect(try EntitlementsQuery("appAccountToken=\(account.uppercased())") == lower)
        #expect(lower.subject == .appAccountToken(AppAccountToken(account)))
    }

    @Test(arguments: [
        ("originalTransactionId=1%30%30%30", "1000"),
        ("originalTransactionId=a%26b%3Dc", "a&b=c"),
        ("originalTransactionId=a=b", "a=b"),
        ("originalTransactionId=a+b", "a+b"),
        ("originalTransactionId=a%2Bb", "a+b"),
        ("originalTransactionId=a%20b", "a b"),
        ("originalTransactionId=%C3%A9", "é"),
        ("&&originalTransactionId=1000&", "1000"),
    ])
    func `values are percent-encoded, and a plus is a plus`(query: String, id: String) throws {
        #expect(try EntitlementsQuery(query).subject == .originalTransactionId(OriginalTransactionId(id)))
    }

    @Test(arguments: [
        ("0", 0), ("1767225600000", 1_767_225_600_000), ("-1", -1), ("2026-01-01T00:00:00Z", 1_767_225_600_000),
        ("2026-01-01T01:00:00+01:00", 1_767_225_600_000), ("2026-01-01T01%3A00%3A00%2B01%3A00", 1_767_225_600_000),
        ("2026-01-01T00:00:00.123456Z", 1_767_225_600_123), ("253402300799999", 253_402_300_799_999),
        ("-62167219200000", -62_167_219_200_000),
    ])
    func `a time is given in milliseconds or as RFC 3339`(text: String, milliseconds: Int64) throws {
        let query = try EntitlementsQuery("originalTransactionId=1&at=\(text)")
        #expect(query.at?.millisecondsSince1970 == milliseconds)
    }

    static let refused: [(String?, String)] = [
        (nil, "specify one of appAccountToken, originalTransactionId, appTransactionId, transactionId"),
        ("", "specify one of"),
        ("environment=Sandbox", "specify one of"),
        ("appAccountToken=\(account)&originalTransactionId=1", "specify one of"),
        ("originalTransactionId=1&originalTransactionId=1", "originalTransactionId: specified twice"),
        ("originalTransactionId", "originalTransactionId: expected a percent-encoded value"),
        ("originalTransactionId=", "originalTransactionId: expected"),
        ("originalTransactionId=%", "originalTransactionId: expected"),
        ("originalTransactionId=%zz", "originalTransactionId: expected"),
        ("originalTransactionId=%ff", "originalTransactionId: expected"),
        ("originalTransactionId=1%00", "originalTransactionId: expected"),
        ("originalTransactionId=1%0a", "originalTransactionId: expected"),
        ("originalTransactionId=\(String(repeating: "1", count: 257))", "originalTransactionId: expected"),
        ("appAccountToken=1", "appAccountToken: expected a UUID"),
        ("appAccountToken=%7B\(account)%7D", "appAccountToken: expected a UUID"),
        ("originalTransactionId=1&environment=production", "environment: expected Production, Sandbox or all"),
        ("originalTransactionId=1&environment=Xcode", "environment: expected"),
        ("originalTransactionId=1&at=now", "at: expected RFC 3339"),
        ("originalTransactionId=1&at=2026-02-30T00:00:00Z", "at: expected"),
        ("originalTransactionId=1&at=2026-01-01T00:00:00", "at: expected"),
        ("originalTransactionId=1&at=253402300800000", "at: expected"),
        ("originalTransactionId=1&at=99999999999999999999", "at: expected"),
        ("originalTransactionId=1&at=1e3", "at: expected"),
        ("originalTransactionId=1&bundleId=", "bundleId: expected"),
        ("originalTransactionid=1", "originalTransactionid: unknown parameter; known parameters: appAccountToken, "),
        ("originalTransactionId=1&x=2", "x: unknown parameter"),
        ("=1", ": unknown parameter"),
        ("originalTransactionId=1&\(String(repeating: "x", count: 2000))=1", "xxxxx: unknown parameter"),
    ]

    @Test(arguments: refused)
    func `an invalid query is rejected with the parameter's name`(query: String?, message: String) throws {
        let refusal = #expect(throws: Refusal.self) { try EntitlementsQuery(query) }
        let text = try #require(refusal).message
        #expect(text.contains(message))
        #expect(text.utf8.count < 300)
    }
}
