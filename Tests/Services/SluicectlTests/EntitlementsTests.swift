import AppStoreModel
import Foundation
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl entitlements show` against a fake read API.
@Suite(.timeLimit(.minutes(5)))
struct EntitlementsTests {
    private static let answer = """
        {"environment":"Production","originalTransactionId":"2000000000000001","asOf":1793491200000,\
        "active":["com.example.monthly"],"grants":[{"entitlement":"com.example.monthly","isEntitled":true,\
        "state":"active","productId":"com.example.monthly","originalTransactionId":"2000000000000001",\
        "transactionId":"2000000000000001","until":1796083200000,"willRenew":true,"skus":[]}],\
        "balances":[{"productId":"com.example.coins","creditedUnits":5,"debitedUnits":1,"netUnits":4}],\
        "reports":[],"nextChange":1796083200000,"purchases":[]}
        """

    @Test func `the answer is shown as text`() async throws {
        let api = try FakeReadAPI(status: 200, body: Self.answer)
        let (exitCode, printed) = await sluicectl(["entitlements", "show", "2000000000000001"] + api.flag)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                originalTransactionId  2000000000000001
                environment            Production
                active                 com.example.monthly

                ENTITLEMENT          HOLDS  STATE   UNTIL                 RENEWS  PRODUCT              PURCHASE
                com.example.monthly  yes    active  2026-12-01T00:00:00Z  yes     com.example.monthly  2000000000000001

                CONSUMABLE         CREDITED  DEBITED  NET
                com.example.coins  5         1        4

                next change  2026-12-01T00:00:00Z

                """)
        #expect(api.seen.count == 1)
        await api.stop()
    }

    @Test func `inactive grants are in the table`() async throws {
        let ended = Self.answer.replacingOccurrences(of: "\"grants\"", with: "\"grants\":[],\"inactive\"")
            .replacingOccurrences(of: "\"isEntitled\":true", with: "\"isEntitled\":false")
        let api = try FakeReadAPI(status: 200, body: ended)
        let (_, printed) = await sluicectl(["entitlements", "show", "2000000000000001"] + api.flag)
        #expect(printed.output.contains("com.example.monthly  no     active"))
        await api.stop()
    }

    @Test func `the key of the file is sent, and never printed`() async throws {
        let directory = try TemporaryDirectory()
        let key = String(repeating: "k", count: 24)
        let path = try directory.write(key + "\n", to: "key")
        let api = try FakeReadAPI(status: 401, body: "")
        let (_, printed) = await sluicectl(
            ["entitlements", "show", "1", "--entitlements.key.file", path] + api.flag)
        #expect(api.keys == ["Bearer \(key)"])
        #expect(!printed.complaints.contains { $0.contains(key) } && !printed.output.contains(key))
        await api.stop()
    }

    @Test func `the JSON answer is the service's own`() async throws {
        let api = try FakeReadAPI(status: 200, body: Self.answer)
        let (exitCode, printed) = await sluicectl(["entitlements", "show", "1", "--output", "json"] + api.flag)
        #expect(exitCode == 0)
        #expect(printed.output == Self.answer + "\n")
        await api.stop()
    }

    @Test(arguments: [
        (["2000000000000001"], "originalTransactionId=2000000000000001&environment=Production"),
        (
            ["7E3FB204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "--environment", "sandbox"],
            "appAccountToken=7E3FB204-2ab3-4c5f-8f0e-0d9c1b6a7e55&environment=Sandbox"
        ),
        (["2000000000000002", "--transaction"], "transactionId=2000000000000002&environment=Production"),
        (
            ["a b&c=é", "--at", "2026-11-01T00:00:00Z"],
            "originalTransactionId=a%20b%26c%3D%C3%A9&environment=Production&at=2026-11-01T00%3A00%3A00.000Z"
        ),
    ])
    func `a UUID is an account, any other id a purchase`(_ arguments: [String], _ query: String) async throws {
        let api = try FakeReadAPI(status: 200, body: Self.answer)
        _ = await sluicectl(["entitlements", "show"] + arguments + api.flag)
        #expect(api.seen == ["/v1/entitlements?" + query])
        await api.stop()
    }

    @Test(arguments: [
        (200, #"{"environment":"Production","known":false,"active":[],"grants":[]}"#, "no purchase has this id"),
        (401, "", "entitlements.key.file"),
        (403, #"{"error":"read_only_key","message":"this key may read"}"#, "entitlements.key.file"),
        (400, #"{"error":"bad_request","message":"at: expected a date"}"#, "at: expected a date"),
        (200, "<html>", "is not sluice-entitlements (status 200)"),
        (502, "Bad gateway", "is not sluice-entitlements (status 502)"),
        (200, "[1]", "is not sluice-entitlements"),
    ])
    func `a refusal is reported in one line`(_ status: Int, _ body: String, _ expected: String) async throws {
        let api = try FakeReadAPI(status: status, body: body)
        let (exitCode, printed) = await sluicectl(["entitlements", "show", "1"] + api.flag)
        #expect(exitCode == 1)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.count == 1)
        #expect(printed.complaints.first?.contains(expected) == true)
        await api.stop()
    }

    @Test func `an unreachable service is reported in one line with the setting`() async throws {
        let (exitCode, printed) = await sluicectl(
            ["entitlements", "show", "1", "--entitlements.url", "http://127.0.0.1:1"])
        #expect(exitCode == 1)
        #expect(printed.complaints.count == 1)
        #expect(printed.complaints.first?.contains("entitlements.url: sluice-entitlements is unreachable") == true)
    }

    @Test(arguments: ["{}", #"{"active":1,"grants":[1,{}],"balances":{},"nextChange":9e99}"#])
    func `an answer without some members is shown`(_ body: String) async throws {
        let api = try FakeReadAPI(status: 200, body: body)
        let (exitCode, printed) = await sluicectl(["entitlements", "show", "1"] + api.flag)
        #expect(exitCode == 0)
        #expect(printed.output.contains("active       none"))
        await api.stop()
    }
}
