import AppStoreModel
import EntitlementRules
import HTTPClient
import Lifecycle
import NotificationRecord
import Telemetry
import TestSupport

@testable import Entitlements

/// A read API over HTTP on a free port whose wall clock stands still, over a store that tests fill.
final class ReadAPIUnderTest: Sendable {
    let directory: TemporaryDirectory
    let store: EntitlementsStore
    let registry = MetricsRegistry()
    let log = MemoryLogSink()
    private let service: EntitlementsService
    private let client = HTTPClient()

    init(now: Int64, rules: ProductRules = ProductRules(), maximumChains: Int = 1000) async throws {
        directory = try TemporaryDirectory()
        store = try EntitlementsStore(path: directory.database)
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        let api = ReadAPI(
            reader: try EntitlementsReader(path: directory.database, maximumChains: maximumChains), rules: rules,
            clocks: Clocks(wallMilliseconds: { now }, monotonicNanoseconds: Clocks.system.monotonicNanoseconds),
            metrics: EntitlementsMetrics(registry), log: RateLimitedLogger(logger, perSecond: 1))
        service = EntitlementsService(store: store, api: api, host: "127.0.0.1", port: 0, logger: logger)
        try await service.start()
    }

    func stop() async {
        await service.stop(within: .seconds(2))
        client.close()
    }

    func merge(_ drafts: [Draft]) throws { _ = try store.merge(drafts.map { try $0.facts() }) }

    func get(
        _ query: String, path: String = "/v1/entitlements", method: String = "GET", ifNoneMatch: String? = nil
    ) async throws -> HTTPClientResponse {
        try await client.send(
            HTTPClientRequest(
                method: method, url: "http://127.0.0.1:\(service.port)\(path)\(query)",
                headers: ifNoneMatch.map { [("If-None-Match", $0)] } ?? []))
    }

    func body(_ query: String) async throws -> JSONObject {
        try JSONValue(json: try await get(query).body).object ?? JSONObject()
    }

    /// State and whether it is entitled, of the only grant there is.
    func state(_ query: String) async throws -> String {
        let grants = try await body(query)["grants"]?.array ?? []
        return grants.compactMap(\.object).map { grant in
            "\(grant["state"]?.string ?? "?") \(grant["isEntitled"]?.bool ?? false) \(grant["transactionId"]?.string ?? "")"
        }.joined(separator: ", ")
    }
}
