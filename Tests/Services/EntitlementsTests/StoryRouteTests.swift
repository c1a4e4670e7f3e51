import AppStoreModel
import EntitlementRules
import HTTPClient
import HTTPServer
import JSON
import Kafka
import PipelineTestSupport
import Primitives
import Records
import RefundRules
import Story
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// The route `/v1/story`.
@Suite(.timeLimit(.minutes(5))) struct StoryRouteTests {
    private static let path = "/v1/story"
    private static let reader = String(repeating: "r", count: 32)
    private static let teller = String(repeating: "s", count: 32)

    /// Records the subjects of requests, and answers each with an empty story.
    private final class Taken: Sendable {
        let subjects = Mutex<[StorySubject]>([])
        private let isFull: Bool

        init(isFull: Bool = false) { self.isFull = isFull }

        func take(_ subject: StorySubject, _ exchange: Exchange) -> Bool {
            guard !isFull else { return false }
            subjects.withLock { $0.append(subject) }
            let story = Story(subject.query.identifier, subject.query.environment)
            exchange.respond(
                HTTPResponse(status: 200, reason: "ok", body: JSONValue.object(story.json(reveals: false)).json))
            return true
        }
    }

    private func key(_ purchase: String) -> [UInt8] { Array("com.example/\(purchase)".utf8) }

    @Test func `the index resolves each kind of identifier to its record keys`() async throws {
        let taken = Taken()
        let api = try await ReadAPIHarness(now: on(1), story: { taken.take($0, $1) })
        try api.merge([lifeOfOne()[0]])
        for (id, kind) in [
            ("1000", StoryIdentifier.Kind.originalTransactionId), (account.uppercased(), .appAccountToken),
            ("com.example/1000", .recordKey),
        ] {
            #expect(try await api.get("?id=\(id)", path: Self.path).status == 200)
            let subject = try #require(taken.subjects.withLock { $0.last })
            #expect(subject.keys == [key("1000")], "\(id)")
            #expect(subject.kinds.contains(kind), "\(id)")
        }
        await api.stop()
    }

    @Test func `unknown, malformed and refused requests return the reason`() async throws {
        let api = try await ReadAPIHarness(now: on(1), story: { Taken().take($0, $1) })
        #expect(try await api.get("?id=999", path: Self.path).status == 404)
        #expect(try await api.get("?id=MVJ6ZRQ8XW", path: Self.path).status == 404, "an order id is not indexed")
        for query in ["", "?id=", "?id=1&environment=all", "?id=1&from=noon", "?id=1&to=1&at=2"] {
            #expect(try await api.get(query, path: Self.path).status == 400, "\(query)")
        }
        await api.stop()
        let off = try await ReadAPIHarness(now: on(1))
        let refused = try await off.get("?id=1000", path: Self.path)
        #expect(refused.status == 403)
        #expect(String(decoding: refused.body, as: UTF8.self).contains("stories_are_off"))
        await off.stop()
        let busy = try await ReadAPIHarness(now: on(1), story: { Taken(isFull: true).take($0, $1) })
        try busy.merge([lifeOfOne()[0]])
        #expect(try await busy.get("?id=1000", path: Self.path).status == 503)
        await busy.stop()
    }

    @Test func `a story requires a key with its permission`() async throws {
        let taken = Taken()
        let api = try await ReadAPIHarness(
            now: on(1), keys: "backend read \(Self.reader)\nconsole story \(Self.teller)\n",
            story: { taken.take($0, $1) })
        try api.merge([lifeOfOne()[0]])
        #expect(try await api.get("?id=1000", path: Self.path).status == 401)
        #expect(try await api.get("?id=1000", path: Self.path, key: Self.reader).status == 403)
        #expect(try await api.get("?id=1000", path: Self.path, key: Self.teller).status == 200)
        #expect(try await api.get("?originalTransactionId=1000", key: Self.teller).status == 200)
        let change = try await api.get("", path: "/v1/erasures", method: "POST", body: "{}", key: Self.teller)
        #expect(change.status == 403, "a story key changes nothing")
        await api.stop()
    }

    @Test func `a story is read from Kafka, with the states of this service`() async throws {
        let installation = try await Installation("story")
        try await installation.kafka.write([lifeOfOne()[0].produced(in: installation.notifications(.production))])
        let story = try await story(of: installation)
        #expect(story["found"] == true && story["masked"] == true)
        let events = (story["timeline"]?.array ?? []).compactMap { $0.object?["kind"]?.string }
        #expect(events == ["notification", "state"])
        let body = JSONValue.object(story).json
        #expect(!String(decoding: body, as: UTF8.self).contains(account))
        let problems = try OpenAPIValidator().problems(
            of: "GET", Self.path, status: 200, body: body, header: { _ in "application/json" })
        #expect(problems.isEmpty)
        await installation.stop()
    }

    @Test(arguments: [("24h", [1, 2]), ("72h", [1, 1])] as [(String, [Int64])])
    func `the rounds of a refund case depend on the setting refunds.round.gap`(
        _ gap: String, _ rounds: [Int64]
    ) async throws {
        let installation = try await Installation("rounds-\(gap)")
        let bundleId = BundleId("com.example")
        // The transaction of the first notification.
        let transaction = TransactionId("10001")
        var refund = RefundCase(environment: .production, bundleId: bundleId, transactionId: transaction)
        for (number, days) in [1.0, 2.5].enumerated() {
            let signedDate = AppStoreInstant(clampingMillisecondsSince1970: on(days))
            refund.insert(
                RefundRequest(
                    notificationUUID: NotificationUUID("00000000-0000-4000-8000-00000000000\(number)"),
                    signedDate: signedDate,
                    receivedAt: signedDate))
        }
        let key = Array(RecordKey.transaction(bundleId, transaction).utf8)
        try await installation.kafka.write([
            lifeOfOne()[0].produced(in: installation.notifications(.production)),
            KafkaProducerRecord(
                topic: installation.topics.refunds(.production), key: key, value: refund.jsonText()),
        ])
        let story = try await story(of: installation, ["--refunds.round.gap", gap])
        let requests = (story["timeline"]?.array ?? []).compactMap(\.object).filter {
            $0["kind"]?.string == "refund_requested"
        }
        #expect(requests.compactMap { $0["round"]?.integer } == rounds)
        await installation.stop()
    }

    /// Returns the masked story of the purchase 1000.
    ///
    /// - Parameter arguments: the flags of the executable.
    private func story(of installation: Installation, _ arguments: [String] = []) async throws -> JSONObject {
        let logger = Logger(label: "test", level: .info, format: .json, sink: MemoryLogSink())
        let now = on(3)
        let answers = try StoryAnswers(
            configuration(arguments), kafka: installation.kafka, topics: installation.topics,
            groups: [installation.group],
            clocks: Clocks(wallMilliseconds: { now }, monotonicNanoseconds: Clocks.system.monotonicNanoseconds),
            log: RateLimitedLogger(logger, perSecond: 1))
        let subject = StorySubject(
            query: try StoryQuery("id=com.example/1000"), kinds: [.recordKey], keys: [key("1000")])
        return try await answers.story(of: subject).json(reveals: false)
    }
}
