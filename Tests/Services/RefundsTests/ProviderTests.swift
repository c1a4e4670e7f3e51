import AppStoreModel
import CommandLine
import Configuration
import Foundation
import HTTPClient
import HTTPServer
import JSON
import JSONTestSupport
import Primitives
import RefundRules
import SignedRequests
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Refunds

/// The contract with the company's service, over HTTP.
@Suite(.timeLimit(.minutes(5))) struct ProviderTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    private let log = MemoryLogSink()

    init() throws { directory = try TemporaryDirectory() }

    private func key(_ byte: UInt8) -> String {
        "whsec_" + Data([UInt8](repeating: byte, count: 32)).base64EncodedString()
    }

    private func configuration(_ flags: [String: String]) throws -> Configuration {
        let command = Command(
            "test", summary: "test", schema: ConfigurationSchema(RefundsSettings.ruleSettings + HTTPClientSettings.all))
        switch command.parse(flags.sorted { $0.key < $1.key }.flatMap { ["--" + $0.key, $0.value] }, environment: [:]) {
        case .run(let invocation): return invocation.configuration
        case .refuse(let lines, _): throw Refusal(lines: lines)
        case .show: throw Refusal(lines: [])
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        let lines: [String]
        var description: String { lines.joined(separator: "\n") }
    }

    private func provider(_ flags: [String: String]) throws -> ConsumptionProvider? {
        var flags = flags
        if flags["refunds.provider.secret.file"] == nil {
            flags["refunds.provider.secret.file"] = try directory.write(key(1), to: "secret")
        }
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        let clock = clock
        return try ConsumptionProvider(
            configuration(flags),
            clocks: Clocks(wallMilliseconds: { 1_767_225_600_999 }, monotonicNanoseconds: { clock.now }),
            log: RateLimitedLogger(logger, perSecond: 100))
    }

    private func provider(_ service: CompanyService, _ flags: [String: String] = [:]) throws -> ConsumptionProvider {
        try #require(try provider(flags.merging(["refunds.provider.url": service.url]) { $1 }))
    }

    private let facts = {
        var facts = RefundFacts(
            environment: .production, bundleId: BundleId("com.example.app"), transactionId: TransactionId("49571273"),
            requestedAt: AppStoreInstant(clampingMillisecondsSince1970: 1_767_225_600_000))
        facts.originalTransactionId = OriginalTransactionId("49571200")
        facts.productId = ProductId("com.example.coins.100")
        facts.productType = .consumable
        facts.price = 4990
        facts.currency = "EUR"
        facts.quantity = 1
        facts.purchaseDate = AppStoreInstant(clampingMillisecondsSince1970: 1_766_361_600_000)
        facts.expiresDate = AppStoreInstant(clampingMillisecondsSince1970: 1_769_000_000_000)
        facts.inAppOwnershipType = .purchased
        facts.appAccountToken = AppAccountToken("7389a31a-fb6d-4569-a2a6-db7d85d84813")
        facts.consumptionRequestReason = .unintendedPurchase
        facts.appTransactionId = AppTransactionId("704289572311513294")
        facts.storefront = "DEU"
        facts.transactionReason = .purchase
        facts.deadline = AppStoreInstant(clampingMillisecondsSince1970: 1_767_268_800_000)
        facts.round = 2
        facts.earlierRefunds = 1
        facts.earlierRequests = 3
        facts.earlierRequestsOfTransaction = 1
        facts.consentRescindedAt = AppStoreInstant(clampingMillisecondsSince1970: 1_767_000_000_000)
        return facts
    }()

    private static let question = """
        {"type":"refund.requested","timestamp":"2026-01-01T00:00:00.000Z","data":{"environment":"Production",\
        "bundleId":"com.example.app","transactionId":"49571273","originalTransactionId":"49571200",\
        "appTransactionId":"704289572311513294","productId":"com.example.coins.100","productType":"Consumable","price":4990,"currency":"EUR","quantity":1,\
        "purchaseDate":1766361600000,"expiresDate":1769000000000,"inAppOwnershipType":"PURCHASED",\
        "storefront":"DEU","transactionReason":"PURCHASE",\
        "appAccountToken":"7389a31a-fb6d-4569-a2a6-db7d85d84813","consumptionRequestReason":"UNINTENDED_PURCHASE",\
        "requestedAt":1767225600000,"isAdvancedCommerce":false,"deadline":1767268800000,"round":2,\
        "earlierRefunds":1,"earlierRequests":3,"earlierRequestsOfTransaction":1,\
        "consentRescindedAt":1767000000000}}
        """

    // MARK: requests

    @Test func `a case is posted signed with Apple's names, and the answer is read`() async throws {
        let service = try CompanyService(
            #"{"customerConsented":true,"deliveryStatus":"DELIVERED","consumptionPercentage":50000,"outcome":"decline"}"#
        )
        let consumption = try await provider(service).consumption(of: facts)
        #expect(consumption.customerConsented == true)
        #expect(consumption.deliveryStatus == .delivered)
        #expect(consumption.consumptionPercentage == 50_000)
        #expect(consumption.outcome == .decline)
        #expect(consumption.sampleContentProvided == nil)

        let question = try #require(service.questions.first)
        #expect(service.questions.count == 1)
        #expect(question.text == Self.question)
        #expect(question.path == "/refunds")
        #expect(question.headers["content-type"] == "application/json")
        #expect(question.headers["user-agent"] == "sluice-refunds/\(Build.version)")
        #expect(question.headers["webhook-timestamp"] == "1767225600")
        let id = try #require(question.headers["webhook-id"])
        #expect(id.wholeMatch(of: /refund-[0-9a-f]{32}/) != nil)
        let signature = try SigningKeys(lines: Array(key(1).utf8))
            .signature(id: id, timestamp: 1_767_225_600, body: question.body)
        #expect(question.headers["webhook-signature"] == signature)
        await service.stop()
    }

    @Test func `attempts with equal facts have the same bytes and id, and another case has another id`() async throws {
        let service = try CompanyService(#"{"customerConsented":false}"#)
        let provider = try provider(service)
        _ = try await provider.consumption(of: facts)
        _ = try await provider.consumption(of: facts)
        var other = facts
        other.transactionId = TransactionId("49571274")
        _ = try await provider.consumption(of: other)
        let questions = service.questions
        #expect(questions[0].body == questions[1].body)
        #expect(questions[0].headers["webhook-id"] == questions[1].headers["webhook-id"])
        #expect(questions[0].headers["webhook-id"] != questions[2].headers["webhook-id"])
        await service.stop()
    }

    @Test func `the request satisfies the published schema, with all members and with the required ones`() throws {
        let schema = try JSONSchema.deployed("refund-provider-request.schema.json")
        #expect(schema.faults(in: ProviderRequest(facts).body) == [])
        let least = ProviderRequest(
            RefundFacts(
                environment: .sandbox, bundleId: BundleId("a"), transactionId: TransactionId("1"),
                requestedAt: facts.requestedAt, isAdvancedCommerce: true)
        ).body
        #expect(schema.faults(in: least) == [])
        #expect(
            String(decoding: least, as: UTF8.self).hasSuffix(
                """
                "data":{"environment":"Sandbox","bundleId":"a","transactionId":"1","requestedAt":1767225600000,\
                "isAdvancedCommerce":true,"round":1,"earlierRequestsOfTransaction":0}}
                """))
        #expect(!schema.faults(in: Array(#"{"type":"refund.requested","data":{}}"#.utf8)).isEmpty)
    }

    // MARK: answers

    @Test(arguments: [
        #"{"customerConsented":false}"#,
        """
        {"customerConsented":true,"deliveryStatus":"UNDELIVERED_OTHER","sampleContentProvided":true,
         "consumptionPercentage":0,"consumptionStatus":"NOT_CONSUMED","platform":"APPLE","accountTenureDays":0,
         "playTimeMinutes":0,"lifetimePurchasedCents":0,"lifetimeRefundedCents":0,"userStatus":"ACTIVE",
         "outcome":"doNotAnswer"}
        """,
    ])
    func `an answer that satisfies the published schema is accepted`(answer: String) async throws {
        #expect(
            try JSONSchema.deployed("refund-provider-answer.schema.json").faults(in: Array(answer.utf8)) == [])
        let service = try CompanyService(status: 201, answer)
        _ = try await provider(service).consumption(of: facts)
        await service.stop()
    }

    @Test(arguments: [
        ("", "is not JSON: empty"), ("<html>", "is not JSON: syntax"), ("[]", "expected an object"),
        ("{}", "customerConsented is missing"),
        (#"{"customerConsented":"yes"}"#, "customerConsented: expected true or false"),
        (
            #"{"customerConsented":true,"consumptionPercentage":"50%"}"#,
            "consumptionPercentage: expected a whole number"
        ),
        (#"{"customerConsented":true,"outcome":"GRANT"}"#, "outcome: expected one of decline"),
    ])
    func `a malformed answer is a failure that names the member, and does not count as silence`(
        answer: String, message: String
    ) async throws {
        let schema = try JSONSchema.deployed("refund-provider-answer.schema.json")
        #expect(!schema.faults(in: Array(answer.utf8)).isEmpty)
        let service = try CompanyService(answer)
        let failure = await failure(try provider(service))
        #expect(failure?.code == .malformed)
        #expect(failure?.status == 200)
        #expect(failure?.isSilence == false)
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
        await service.stop()
    }

    @Test(
        arguments: [
            (500, .unavailable, true), (503, .unavailable, true), (599, .unavailable, true), (408, .unavailable, true),
            (425, .unavailable, true), (429, .throttled, true), (401, .settings, false), (403, .settings, false),
            (404, .settings, false), (405, .settings, false), (407, .settings, false), (421, .settings, false),
            (426, .settings, false), (302, .settings, false), (400, .refused, false), (409, .refused, false),
            (410, .refused, false), (422, .refused, false),
        ] as [(Int, ProviderError.Code, Bool)])
    func `the status decides whether the service is treated as silent`(
        status: Int, code: ProviderError.Code, isSilence: Bool
    ) async throws {
        let service = try CompanyService(status: status, #"{"customerConsented":true}"#)
        let failure = await failure(try provider(service))
        #expect(failure?.code == code)
        #expect(failure?.status == status)
        #expect(failure?.isSilence == isSilence)
        #expect(service.questions.count == 1)
        await service.stop()
    }

    // app-store.md 10.7, row 7.
    @Test func `an answer with an unknown member is accepted`() async throws {
        let answer = #"{"customerConsented":true,"requestId":"abc"}"#
        #expect(try JSONSchema.deployed("refund-provider-answer.schema.json").faults(in: Array(answer.utf8)) == [])
        let service = try CompanyService(answer)
        #expect(try await provider(service).consumption(of: facts).customerConsented == true)
        await service.stop()
    }

    @Test func `a redirect is not followed`() async throws {
        let elsewhere = try CompanyService(#"{"customerConsented":true}"#)
        let service = try CompanyService(status: 307, "", headers: [("location", elsewhere.url)])
        #expect(await failure(try provider(service))?.code == .settings)
        #expect(elsewhere.questions.isEmpty)
        await service.stop()
        await elsewhere.stop()
    }

    @Test func `an answer above 64 KiB is refused`() async throws {
        let service = try CompanyService(#"{"customerConsented":true}"# + String(repeating: " ", count: 64 * 1024))
        let failure = await failure(try provider(service))
        #expect(failure?.code == .tooLong)
        #expect(failure?.isSilence == false)
        await service.stop()
    }

    @Test func `a request that times out may be retried`() async throws {
        let service = try CompanyService { _, _ in }
        let failure = await failure(try provider(service, ["refunds.provider.timeout": "200ms"]))
        #expect(failure?.code == .timedOut)
        #expect(failure?.isSilence == true)
        await service.stop()
    }

    @Test func `a broken connection is a failure that may be retried`() async throws {
        let service = try CompanyService { _, exchange in exchange.reset() }
        let failure = await failure(try provider(service))
        #expect(failure?.code == .connectionFailed)
        #expect(failure?.isSilence == true)
        await service.stop()
    }

    @Test func `a failed connection may be retried`() async throws {
        let service = try CompanyService("")
        let provider = try provider(service)
        await service.stop()
        let failure = await failure(provider)
        #expect(failure?.code == .connectionFailed)
        #expect(failure?.isSilence == true)
    }

    @Test func `a TLS failure may be retried`() async throws {
        let service = try CompanyService("")
        let url = service.url.replacing("http://", with: "https://")
        let failure = await failure(try #require(try provider(["refunds.provider.url": url])))
        #expect(failure?.code == .tls)
        #expect(failure?.isSilence == true)
        await service.stop()
    }

    @Test func `a request is cancelled with its task`() async throws {
        let isAsked = AsyncStream<Void>.makeStream()
        let service = try CompanyService { _, _ in isAsked.continuation.yield() }
        let provider = try provider(service, ["refunds.provider.timeout": "60s"])
        let facts = facts
        let task = Task { await Self.failure(provider, facts) }
        for await _ in isAsked.stream { break }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await service.stop()
    }

    @Test func `a failure contains neither the address of the service nor its answer`() async throws {
        let service = try CompanyService(#"{"customerConsented":"answered"}"#)
        let failure = try #require(await failure(try provider(service)))
        for secret in ["for=test", "/refunds", "answered", "49571273", key(1)] {
            #expect(!"\(failure)".contains(secret), "\(secret)")
        }
        await service.stop()
    }

    private func failure(_ provider: ConsumptionProvider) async -> ProviderError? {
        await Self.failure(provider, facts)
    }

    private static func failure(_ provider: ConsumptionProvider, _ facts: RefundFacts) async -> ProviderError? {
        do throws(ProviderError) {
            _ = try await provider.consumption(of: facts)
            return nil
        } catch {
            return error
        }
    }

    // MARK: manual

    /// Returns the code blocks of a section of `deploy/README.md`.
    private func examples(_ section: String) throws -> [String] {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let manual = try String(contentsOf: folder.appending(path: "deploy/README.md"), encoding: .utf8)
        let text = try #require(manual.split(separator: "\n## ").first { $0.hasPrefix(section + "\n") })
        return text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map {
                $0.element.drop { $0 != "\n" }.trimmingCharacters(in: .whitespacesAndNewlines)
            }
    }

    @Test func `the manual shows valid rules`() throws {
        let text = Array(try #require(try examples("Refund rules").first).utf8)
        #expect(try RefundRules(json: text, name: "manual").names == ["first-mistake", "spent"])
        #expect(try JSONSchema.deployed("refund-rules.schema.json").faults(in: text) == [])
    }

    @Test func `the manual shows the sent request and a valid answer`() throws {
        let blocks = try examples("Your service for refunds")
        let request = try #require(blocks.first?.split(separator: "\n\n").last)
        #expect(try JSONValue(json: Array(request.utf8)) == JSONValue(json: ProviderRequest(facts).body))
        let answer = Array(try #require(blocks.last).utf8)
        #expect(try ConsumptionFacts.answer(answer, name: "manual").facts.outcome == .decline)
        #expect(try JSONSchema.deployed("refund-provider-answer.schema.json").faults(in: answer) == [])
    }

    // MARK: keys

    @Test func `keys are rotated without a restart, and a file without keys changes nothing`() async throws {
        let service = try CompanyService(#"{"customerConsented":false}"#)
        let path = try directory.write(key(1), to: "keys")
        let provider = try provider(service, ["refunds.provider.secret.file": path])
        func signatures() async throws -> Int {
            _ = try await provider.consumption(of: facts)
            return service.questions.last?.headers["webhook-signature"]?.split(separator: " ").count ?? 0
        }
        #expect(try await signatures() == 1)
        _ = try directory.write(key(1) + "\n" + key(2), to: "keys")
        #expect(try await signatures() == 1)
        clock.advance(by: .seconds(1))
        #expect(try await signatures() == 2)
        _ = try directory.write("no key at all", to: "keys")
        clock.advance(by: .seconds(1))
        #expect(try await signatures() == 2)
        try FileManager.default.removeItem(atPath: path)
        clock.advance(by: .seconds(1))
        #expect(try await signatures() == 2)
        #expect(log.lines.count { $0.contains("keys reloaded") } == 1)
        #expect(log.lines.count { $0.contains("failed to reload the keys; keeping the previous keys") } == 2)
        #expect(!log.lines.contains { $0.contains(key(2)) || $0.contains("no key at all") })
        await service.stop()
    }

    // MARK: settings

    @Test func `without a URL no service is queried`() throws {
        #expect(try provider([:]) == nil)
    }

    @Test func `a URL without keys is refused`() throws {
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        let configuration = try configuration(["refunds.provider.url": "https://api.example.com"])
        let error = #expect(throws: ConfigurationError.self) {
            try ConsumptionProvider(configuration, log: RateLimitedLogger(logger, perSecond: 1))
        }
        #expect(error?.key == "refunds.provider.secret.file")
        #expect(error?.message.contains("echo whsec_$(openssl rand -base64 32)") == true)
    }

    @Test(arguments: [
        ("https://me:word@api.example.com/", "user name or password"),
        ("http://api.example.com/", "refunds.provider.insecure=true"),
    ])
    func `a URL that would disclose data or credentials is refused`(url: String, mention: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try provider(["refunds.provider.url": url]) }
        #expect(error?.key == "refunds.provider.url")
        #expect(error?.message.contains(mention) == true)
        #expect(error?.message.contains("word@") == false)
    }

    @Test func `a plaintext URL of another host requires a setting`() throws {
        let flags = ["refunds.provider.url": "http://10.0.0.1/", "refunds.provider.insecure": "true"]
        #expect(try provider(flags)?.url == "http://10.0.0.1/")
    }

    @Test func `files of the wrong kind are refused`() throws {
        let file = try directory.write("nonsense!", to: "file")
        for key in ["refunds.provider.secret.file", "refunds.provider.ca.file"] {
            let error = #expect(throws: ConfigurationError.self) {
                try provider(["refunds.provider.url": "https://api.example.com", key: file])
            }
            #expect(error?.key == key)
            #expect(error?.message.contains("nonsense") == false)
        }
    }

    @Test func `rules are read from the configured file, and its errors name file, line and member`() throws {
        #expect(try RefundRules(configuration([:])) == .none)
        let right = try directory.write(
            #"{"default":"decline","rules":[{"name":"a","outcome":"grantFull"}]}"#, to: "rules.json")
        #expect(try RefundRules(configuration(["refunds.rules": right])).names == ["a"])
        let wrong = try directory.write("{\n\"default\":\"REFUND\"}", to: "wrong.json")
        let error = #expect(throws: ConfigurationError.self) {
            try RefundRules(configuration(["refunds.rules": wrong]))
        }
        #expect(error?.key == "refunds.rules")
        #expect(error?.message.hasPrefix("\(wrong):2: default: expected one of decline") == true)
    }
}
