import AppStoreModel
import Configuration
import Foundation
import HTTPClient
import JSON
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineRuntime
import PipelineTestSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// A broker with the topics of one installation, with a separate prefix and group for each test. It is embedded unless
/// `ApacheKafka.use` is active.
final class Installation: Sendable {
    let topics: TopicNames
    let group: String
    let kafka: KafkaConfiguration
    private let embedded: DevBroker?

    init(_ name: String, partitions: Int = 2) async throws {
        let name = ApacheKafka.chosen == nil ? name : "\(name).\(UUID().uuidString.lowercased())"
        topics = TopicNames(prefix: name)
        group = "entitlements-of-\(name)"
        let specifications =
            topics.ingress(partitions: partitions) + topics.state(partitions: partitions)
            + topics.deadLetters(of: group, partitions: partitions) + [topics.controlTopic]
        if let chosen = ApacheKafka.chosen {
            embedded = nil
            kafka = try KafkaConfiguration(bootstrapServers: chosen.bootstrapServers)
            try await kafka.create(
                specifications.map {
                    KafkaNewTopic(
                        topic: $0.name, partitions: $0.partitions, replicationFactor: 1, configuration: $0.settings)
                })
            return
        }
        let broker = try DevBroker()
        embedded = broker
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        for specification in specifications {
            try broker.createTopic(
                specification.name, partitions: specification.partitions)
        }
    }

    func stop() async { await embedded?.stop() }

    func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        topics.notifications(environment)
    }

    func state(_ environment: AppStoreEnvironment) -> KafkaTopic {
        topics.entitlements(environment)
    }

    func deadLetterTopic(_ environment: AppStoreEnvironment) -> KafkaTopic {
        topics.notifications(environment).deadLetters(of: group)
    }

    func write(_ records: [KafkaProducerRecord]) async throws {
        try await kafka.write(records)
    }

    func read(_ topic: KafkaTopic, partitions: Int32 = 2) async throws -> [KafkaRecord] {
        try await kafka.records(of: [topic], partitions: partitions)
    }

    /// Returns the executable's configuration, in memory.
    func configuration(data: String, _ further: [String] = [], changes: Bool = true) throws -> Configuration {
        try EntitlementsTests.configuration(
            [
                "--kafka.bootstrap.servers", kafka.bootstrapServers, "--entitlements.group.id", group,
                "--topics.prefix", topics.prefix, "--profile", "single-node", "--data.dir", data, "--http.port", "0",
                "--admin.port", "0", "--entitlements.changes", "\(changes)",
            ] + further)
    }
}

/// The services of the executable, started the way its main function starts them.
final class RunningEntitlements: Sendable {
    let registry = MetricsRegistry()
    let log = MemoryLogSink()
    private let services: [any Service]
    private let api: EntitlementsService
    private let client = HTTPClient()
    private let document: OpenAPIValidator
    private let trigger: AsyncStream<String>.Continuation
    private let group: Task<ExitCode, Never>

    /// Port of the read API.
    var port: UInt16 { api.port }

    /// - Parameter waitsForInput: whether to wait until the age of the input is known and recent.
    init(_ configuration: Configuration, waitsForInput: Bool = true) async throws {
        document = try OpenAPIValidator()
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        let services = try await EntitlementsApplication.application(
            confirmationDelay: .zero, pause: { try await Task.sleep(for: .milliseconds(20)) }
        ).services(
            configuration, logger: logger, metrics: registry)
        self.services = services
        api = try #require(services.lazy.compactMap { $0 as? EntitlementsService }.first)
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        self.trigger = trigger
        // `stop()` waits for this task.
        group = Task {
            await ServiceGroup(services, logger: logger, maximumShutdown: .seconds(20)).run(triggers: triggers)
        }
        let isReady = await eventually(within: .seconds(25)) {
            self.api.port != 0 && self.metric("sluice_state_complete ") == 1
                && (!waitsForInput || self.metric("sluice_entitlements_facts_stale{") == 0)
        }
        try #require(isReady, "\(log.lines.suffix(8).joined(separator: "\n"))")
    }

    /// Stops the services as SIGTERM does.
    func stop() async -> ExitCode {
        trigger.yield("test")
        let exitCode = await group.value
        client.close()
        return exitCode
    }

    func get(
        _ query: String, path: String = "/v1/entitlements"
    ) async throws -> (status: Int, body: JSONObject) {
        let answer = try await client.send(HTTPClientRequest(url: "http://127.0.0.1:\(api.port)\(path)\(query)"))
        check(answer, "GET", path)
        return (answer.status, try JSONValue(json: answer.body).object ?? JSONObject())
    }

    func post(_ path: String, _ body: JSONObject) async throws -> (status: Int, body: JSONObject) {
        let answer = try await client.send(
            HTTPClientRequest(
                method: "POST", url: "http://127.0.0.1:\(api.port)\(path)", body: JSONValue.object(body).json))
        check(answer, "POST", path)
        return (answer.status, try JSONValue(json: answer.body).object ?? JSONObject())
    }

    /// Checks that a response conforms to the service's OpenAPI document.
    private func check(_ answer: HTTPClientResponse, _ method: String, _ path: String) {
        let problems = document.problems(
            of: method, path, status: answer.status, body: answer.body, header: { answer.header($0) })
        #expect(problems.isEmpty, "\(method) \(path)")
    }

    /// Returns the state and transaction of all grants, including inactive ones.
    func states(_ query: String) async throws -> [String] {
        try await get(query).body.allGrants.map { grant in
            "\(grant["state"]?.string ?? "?") \(grant["transactionId"]?.string ?? "?")"
        }
    }

    /// Returns the sum of the metric's lines with this prefix.
    func metric(_ start: String) -> Double { registry.values(start).reduce(0, +) }

    /// Waits until a number of records is finished with any verdict and their states can be read.
    func finish(_ count: Double) async throws {
        try await waitUntil(within: .seconds(25)) {
            self.metric("sluice_consumer_records_total{") >= count && self.metric("sluice_state_lag_records{") == 0
        }
    }
}
