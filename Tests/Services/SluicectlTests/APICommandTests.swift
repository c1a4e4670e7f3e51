import AppStoreSigning
import Cryptography
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl api`, and the requests of `sluicectl doctor` to Apple.
@Suite(.timeLimit(.minutes(5)))
struct APICommandTests {
    private let directory: TemporaryDirectory
    private let key: String

    init() throws {
        try initializeCryptography()
        directory = try TemporaryDirectory()
        key = try directory.write(try PrivateKey.generate(.p256).pem(), to: "key.p8")
    }

    private func flags(_ api: FakeReadAPI) throws -> [String] {
        [
            "--apps", "com.example.app:1234567890", "--root.certificates", try directory.signedFiles().root,
            "--appstore.api.issuer.id", "issuer", "--appstore.api.key.id", "key", "--appstore.api.key.file", key,
            "--appstore.api.url", api.url, "--appstore.api.sandbox.url", api.url,
        ]
    }

    private func run(
        _ arguments: [String], _ answer: @escaping @Sendable (String) -> (status: Int, body: String)
    ) async throws -> (exitCode: Int32, printed: Printed, seen: [String]) {
        let api = try FakeReadAPI(answer)
        let (exitCode, printed) = await sluicectl(["api"] + arguments + (try flags(api)))
        await api.stop()
        return (exitCode, printed, api.seen)
    }

    private static func signed(_ text: String) throws -> String { try JWSSigner(Signed.pki.get()).sign(text) }

    private static func object(_ members: JSONObject) -> String {
        String(decoding: JSONValue.object(members).json, as: UTF8.self)
    }

    private static let renewalInfo = """
        {"autoRenewProductId":"com.example.yearly","autoRenewStatus":1,"environment":"Production",\
        "originalTransactionId":"2000000000000001","signedDate":1793491100000}
        """
    private static let refund = """
        {"bundleId":"com.example.app","environment":"Production","originalTransactionId":"7","productId":"coins",\
        "purchaseDate":1793400000000,"revocationDate":1793491000000,"revocationPercentage":50000,\
        "revocationReason":1,"revocationType":"REFUND_PRORATED","signedDate":1793491100000,"transactionId":"7"}
        """

    @Test func `a transaction is printed by member with formatted dates, or as signed`() async throws {
        let body = Self.object(["signedTransactionInfo": .string(try Self.signed(Signed.transactionInfo))])
        let (exitCode, printed, seen) = try await run(["transaction", "2000000000000001"]) { _ in (200, body) }
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                bundleId               com.example.app
                environment            Production
                expiresDate            2026-12-01T00:00:00Z
                originalTransactionId  2000000000000001
                productId              com.example.monthly
                signedDate             2026-10-31T23:58:20Z
                transactionId          2000000000000001
                type                   Auto-Renewable Subscription

                """)
        #expect(seen == ["/inApps/v1/transactions/2000000000000001"])
        let json = try await run(["transaction", "2000000000000001", "--output", "json"]) { _ in (200, body) }
        #expect(json.printed.output == "{\"transaction\":\(Signed.transactionInfo)}\n")
    }

    @Test func `subscriptions are printed as a table`() async throws {
        let body = Self.object([
            "data": [
                [
                    "subscriptionGroupIdentifier": "g1",
                    "lastTransactions": [
                        [
                            "status": 4, "originalTransactionId": "2000000000000001",
                            "signedTransactionInfo": .string(try Self.signed(Signed.transactionInfo)),
                            "signedRenewalInfo": .string(try Self.signed(Self.renewalInfo)),
                        ]
                    ],
                ]
            ]
        ])
        let (exitCode, printed, _) = try await run(["subscriptions", "1"]) { _ in (200, body) }
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                STATUS        PURCHASE          PRODUCT              EXPIRES               RENEWS  RENEWS TO           GROUP
                grace period  2000000000000001  com.example.monthly  2026-12-01T00:00:00Z  yes     com.example.yearly  g1

                """)
    }

    @Test func `a history is read page by page, up to the limit`() async throws {
        let page = Self.object([
            "hasMore": true, "revision": "r1", "signedTransactions": [.string(try Self.signed(Signed.transactionInfo))],
        ])
        let last = Self.object([
            "hasMore": false, "revision": "r2", "signedTransactions": [.string(try Self.signed(Self.refund))],
        ])
        let answers = Answers([page, last])
        let (exitCode, printed, seen) = try await run(["history", "1", "--output", "json"]) { _ in answers.next() }
        #expect(exitCode == 0, "\(printed.complaints)")
        let object = try #require(try printed.objects.first)
        #expect(object["transactions"]?.array?.count == 2)
        #expect(object["revision"] == "r2" && object["hasMore"] == false)
        #expect(seen == ["/inApps/v2/history/1", "/inApps/v2/history/1?revision=r1"])
        let limited = try await run(["history", "1", "--limit", "1", "--revision", "r0"]) { _ in (200, page) }
        #expect(limited.printed.output.hasSuffix("\nmore with  --revision r1\n"))
        #expect(limited.seen == ["/inApps/v2/history/1?revision=r0"])
    }

    @Test func `refunds are printed with date, reason and percentage`() async throws {
        let body = Self.object([
            "hasMore": false, "revision": "r", "signedTransactions": [.string(try Self.signed(Self.refund))],
        ])
        let (exitCode, printed, seen) = try await run(["refunds", "7"]) { _ in (200, body) }
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                REFUNDED              TRANSACTION  PRODUCT  TYPE             PERCENTAGE  REASON  PURCHASED
                2026-10-31T23:56:40Z  7            coins    REFUND_PRORATED  50000       1       2026-10-30T22:40:00Z

                later changes with  --revision r

                """)
        #expect(seen == ["/inApps/v2/refund/lookup/7"])
    }

    @Test func `an order of another app returns exit code 1`() async throws {
        let (exitCode, printed, seen) = try await run(["order", "MK4TT4X3J"]) { _ in (200, #"{"status":1}"#) }
        #expect(exitCode == 1)
        #expect(printed.output == "this app has no such order\n")
        #expect(seen == ["/inApps/v1/lookup/MK4TT4X3J"])
    }

    @Test func `a transaction of another audience is not printed, and the exit code is 1`() async throws {
        let other = Signed.transactionInfo.replacing("\"Production\"", with: "\"Sandbox\"")
        let body = Self.object([
            "hasMore": false, "revision": "r",
            "signedTransactions": [.string(try Self.signed(other)), .string(try Self.signed(Self.refund))],
        ])
        let (exitCode, printed, _) = try await run(["history", "7", "--output", "json"]) { _ in (200, body) }
        #expect(exitCode == 1)
        #expect(try printed.objects.first?["transactions"]?.array?.count == 1)
        #expect(printed.complaints.contains { $0.contains("audience") }, "\(printed.complaints)")
    }

    @Test func `Apple's refusal is reported in one line with the code and a fix`() async throws {
        let (exitCode, printed, _) = try await run(["transaction", "7"]) { _ in
            (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
        }
        #expect(exitCode == 1)
        #expect(printed.output.isEmpty)
        let line = try #require(printed.complaints.last)
        #expect(line.contains("4040010 TransactionIdNotFoundError") && line.contains("other environment"), "\(line)")
    }

    @Test func `an invalid identifier is refused before anything is sent`() async throws {
        let (exitCode, printed, seen) = try await run(["transaction", "../7"]) { _ in (200, "{}") }
        #expect(exitCode == 1)
        #expect(seen.isEmpty)
        #expect(printed.complaints.last?.contains("Get Transaction Info") == true, "\(printed.complaints)")
    }

    @Test func `a delivered test notification returns exit code 0, an undelivered one 1`() async throws {
        let payload = Signed.notification.replacing("\"signedTransactionInfo\":\"{signedTransactionInfo}\",", with: "")
            .replacing("\"signedRenewalInfo\":\"{signedRenewalInfo}\",", with: "").replacing("SUBSCRIBED", with: "TEST")
        let signed = try Self.signed(payload)
        for (result, expected) in [("SUCCESS", 0), ("TLS_ISSUE", 1)] as [(String, Int32)] {
            let status = Self.object([
                "signedPayload": .string(signed),
                "sendAttempts": [["attemptDate": 1_793_491_200_000, "sendAttemptResult": .string(result)]],
            ])
            let (exitCode, printed, seen) = try await run(["test-notification"]) { path in
                (200, path.hasSuffix("/test") ? #"{"testNotificationToken":"t-1"}"# : status)
            }
            #expect(exitCode == expected, "\(printed.complaints)")
            #expect(printed.output == "token  t-1\n\n2026-11-01T00:00:00Z  \(result)\n")
            #expect(seen == ["/inApps/v1/notifications/test", "/inApps/v1/notifications/test/t-1"])
        }
        let requested = try await run(["test-notification", "--wait", "0s", "--output", "json"]) { _ in
            (200, #"{"testNotificationToken":"t-1"}"#)
        }
        #expect(requested.exitCode == 0)
        #expect(requested.seen.count == 1)
    }

    // MARK: doctor

    private func findings(status: Int, _ body: String) async throws -> [String] {
        let api = try FakeReadAPI(status: status, body: body)
        let (_, printed) = await sluicectl(
            ["doctor", "--output", "json", "--kafka.bootstrap.servers", "127.0.0.1:1"] + (try flags(api)),
            timeout: .milliseconds(100))
        await api.stop()
        let findings = try #require(try printed.objects.first?["findings"]?.array, "\(printed.complaints)")
        return findings.compactMap(\.object).filter { $0["what"] == "api" || $0["subject"] == "difference" }.map {
            "\($0["status"]?.string ?? "") \($0["subject"]?.string ?? "-"): \($0["found"]?.string ?? "")"
        }
    }

    @Test func `a transaction that Apple does not find shows that the token is accepted`() async throws {
        let findings = try await findings(status: 404, #"{"errorCode":4040010,"errorMessage":"not found"}"#)
        #expect(findings.contains("ok com.example.app Production: the token is accepted"), "\(findings)")
        #expect(findings.contains("ok com.example.app Sandbox: the token is accepted"))
        // The tests' clock does not advance, and is earlier than the responses' dates.
        #expect(findings.last?.hasPrefix("problem difference: ") == true)
        #expect(findings.last?.hasSuffix(" s behind Apple's") == true)
    }

    @Test func `a 401 shows that the token is not accepted`() async throws {
        let findings = try await findings(status: 401, "")
        #expect(
            findings.filter { $0.hasPrefix("problem com.example.app") && $0.contains("rejected the token") }
                .count == 2, "\(findings)")
    }
}

/// Prepared responses, returned one after another. The last one is repeated.
private final class Answers: Sendable {
    private let left: Mutex<[String]>

    init(_ bodies: [String]) { left = Mutex(bodies) }

    func next() -> (status: Int, body: String) {
        left.withLock { left in (200, left.count > 1 ? left.removeFirst() : left.first ?? "") }
    }
}
