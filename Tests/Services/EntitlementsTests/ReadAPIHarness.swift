import AppStoreModel
import EntitlementRules
import HTTPClient
import HTTPServer
import JSON
import KeyedState
import Primitives
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// The reason that a service reports as missing. Tests set it.
final class Obstacle: Sendable {
    let text = Mutex<String?>(nil)
}

/// A read API over HTTP on a free port with a fixed wall clock, with rows written by tests.
final class ReadAPIHarness: Sendable {
    let directory: TemporaryDirectory
    let rows: RowsHarness
    let registry = MetricsRegistry()
    let log = MemoryLogSink()
    /// The obstacle reported by the service.
    let obstacle = Obstacle()
    /// The reading progress of the input.
    let input: InputFreshness
    private let reader: StateReader<EntitlementsModel>
    private let server: HTTPServer
    private let client = HTTPClient()
    private let document: OpenAPIValidator

    /// - Parameters:
    ///   - keys: the lines of `http.keys.file`; nil runs without a file.
    ///   - readUntil: the time up to which the input was read; nil for now.
    ///   - stalenessLimit: in milliseconds.
    ///   - accessLines: selects the requests that are logged.
    ///   - story: takes requests for stories; nil disables them.
    init(
        now: Int64, rules: ProductRules = ProductRules(), maximumPurchases: Int = 1000, keys: String? = nil,
        readUntil: Int64? = nil, stalenessLimit: Int64 = 300_000, staleAnswers: StaleAnswers = .mark,
        accessLines: AccessLines = .changes, story: (@Sendable (StorySubject, Exchange) -> Bool)? = nil
    ) async throws {
        input = InputFreshness(topics: TopicNames(), limit: stalenessLimit)
        for environment in AppStoreEnvironment.published { input.read(environment, until: readUntil ?? now) }
        document = try OpenAPIValidator()
        directory = try TemporaryDirectory()
        rows = try RowsHarness(path: directory.database, rules: rules)
        reader = try rows.store.reader()
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        var api = ReadAPI(
            reader: { [reader] () throws(StateError) in reader }, topics: TopicNames(), rules: rules,
            clocks: Clocks(wallMilliseconds: { now }, monotonicNanoseconds: Clocks.system.monotonicNanoseconds),
            metrics: EntitlementsMetrics(registry), log: RateLimitedLogger(logger, perSecond: 1),
            access: AccessLog(accessLines, logger: logger, metrics: registry),
            obstacle: { [obstacle] in obstacle.text.withLock { $0 } }, input: input, staleAnswers: staleAnswers,
            change: nil)
        if let keys {
            let file = try AccessKeys.file(directory.write(keys, to: "keys"), clocks: .system)
            api.keys = AccessKeys(file, clocks: .system, log: RateLimitedLogger(logger, perSecond: 1))
        }
        api.maximumPurchases = maximumPurchases
        api.story = story
        server = HTTPServer(listeners: [api.listener(host: "127.0.0.1", port: 0)])
        try server.start()
    }

    func stop() async {
        await server.drain(within: .seconds(2))
        await reader.close()
        client.close()
    }

    func merge(_ drafts: [Draft]) throws { try rows.merge(drafts.map { try $0.facts() }) }

    func get(
        _ query: String, path: String = "/v1/entitlements", method: String = "GET", ifNoneMatch: String? = nil,
        body: String? = nil, key: String? = nil
    ) async throws -> HTTPClientResponse {
        let headers = [("If-None-Match", ifNoneMatch), ("Authorization", key.map { "Bearer \($0)" })]
        let answer = try await client.send(
            HTTPClientRequest(
                method: method, url: "http://127.0.0.1:\(server.port())\(path)\(query)",
                headers: headers.compactMap { name, value in value.map { (name, $0) } },
                body: body.map { Array($0.utf8) } ?? []))
        let problems = document.problems(
            of: method, path, status: answer.status, body: answer.body, header: { answer.header($0) })
        #expect(problems.isEmpty, "\(method) \(path)\(query)")
        return answer
    }

    /// Queries several subjects.
    func query(_ body: String, key: String? = nil) async throws -> (status: Int, body: JSONObject) {
        let answer = try await get("", path: "/v1/entitlements/query", method: "POST", body: body, key: key)
        return (answer.status, try JSONValue(json: answer.body).object ?? JSONObject())
    }

    func body(_ query: String, path: String = "/v1/entitlements") async throws -> JSONObject {
        try JSONValue(json: try await get(query, path: path).body).object ?? JSONObject()
    }

    /// Returns state, entitlement and transaction of all grants.
    func state(_ query: String) async throws -> String {
        try await body(query).allGrants.map { grant in
            "\(grant["state"]?.string ?? "?") \(grant["isEntitled"]?.bool ?? false) \(grant["transactionId"]?.string ?? "")"
        }.joined(separator: ", ")
    }
}

extension JSONObject {
    /// Returns all grants of an answer, active and inactive.
    var allGrants: [JSONObject] {
        ["grants", "inactive"].flatMap { self[$0]?.array ?? [] }.compactMap(\.object)
    }
}
