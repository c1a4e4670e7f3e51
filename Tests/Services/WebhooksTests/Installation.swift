import AppStoreModel
import CommandLine
import Configuration
import Cryptography
import Foundation
import HTTPClient
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineRuntime
import PipelineTestSupport
import Primitives
import Records
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// The tests' keys and their file format.
enum TestKey {
    static let first = [UInt8](repeating: 1, count: 32)
    static let second = [UInt8](repeating: 2, count: 24)

    static func line(_ key: [UInt8]) -> String { "whsec_" + Data(key).base64EncodedString() }
}

/// Parses a command line as the executable does.
func configuration(_ arguments: [String], environment: [String: String] = [:]) throws -> Configuration {
    switch WebhooksApplication.application.command.parse(arguments, environment: environment) {
    case .run(let invocation): return invocation.configuration
    case .refuse(let lines, let exitCode): throw Refusal(lines: lines, exitCode: exitCode)
    case .show: throw Refusal(lines: ["help"], exitCode: 0)
    }
}

/// A refused command line.
struct Refusal: Error, CustomStringConvertible {
    let lines: [String]
    let exitCode: Int32

    var description: String { lines.joined(separator: "\n") }
}

/// Creates a handler without the runtime.
///
/// - Parameters:
///   - attempts: the maximum number of refusals of a record.
///   - settings: additional flags.
func handler(
    url: String, attempts: Int, directory: TemporaryDirectory, _ settings: [String] = [],
    metrics: MetricsRegistry = MetricsRegistry(), log: AttemptLog = AttemptLog(), clocks: Clocks = .system,
    certificates: CertificateDirectory = CertificateDirectory(), logSink: MemoryLogSink = MemoryLogSink(),
    receiver: ReceiverEvents = ReceiverEvents(nil, group: ""),
    readCertificates: @escaping @Sendable () async -> Bool = { false }
) throws -> WebhooksHandler {
    let secrets = try directory.write(TestKey.line(TestKey.first), to: "secrets")
    let webhooks = try WebhooksConfiguration(
        configuration(["--webhooks.url", url, "--webhooks.secret.file", secrets] + settings))
    return WebhooksHandler(
        webhooks, refusals: attempts,
        reading: MessageReading(webhooks.content, webhooks.topics, certificates: certificates),
        client: HTTPClient(), attempts: log, metrics: WebhooksMetrics(metrics),
        logger: Logger(label: "test", level: .warning, format: .json, sink: logSink), receiver: receiver,
        clocks: clocks,
        readCertificates: readCertificates)
}

/// A broker with the topics of one installation, embedded unless `ApacheKafka.use` is active, and a directory.
final class Installation: Sendable {
    let directory: TemporaryDirectory
    let topics: TopicNames
    let kafka: KafkaConfiguration
    private let partitions: Int
    private let embedded: DevBroker?

    /// - Parameter receivers: names of a process's receivers. Their groups have separate dead-letter topics.
    init(partitions: Int = 2, receivers: [String] = []) async throws {
        self.partitions = partitions
        directory = try TemporaryDirectory()
        topics = ApacheKafka.chosen == nil ? TopicNames() : TopicNames(prefix: UUID().uuidString.lowercased())
        let specifications =
            topics.specifications(partitions: partitions)
            + receivers.flatMap { [topics] in
                topics.deadLetters(
                    of: "sluice-webhooks-\($0)", reading: topics.entitlements, partitions: partitions)
            }
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
        let broker = try DevBroker(
            topics: Dictionary(
                uniqueKeysWithValues: specifications.map { ($0.name, $0.partitions) }))
        embedded = broker
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
    }

    /// Creates a topic on the embedded broker.
    func create(_ specification: TopicSpecification) throws {
        try embedded?.createTopic(specification.name, partitions: specification.partitions)
    }

    var production: KafkaTopic { topics.entitlements(.production) }
    var sandbox: KafkaTopic { topics.entitlements(.sandbox) }

    /// Writes records in order. Each is acknowledged before the next one is sent.
    func write(_ records: [KafkaProducerRecord]) async throws {
        try await kafka.write(records)
    }

    /// Writes `count` states of `keys` purchases as ``TestState``: `key-number` and the state's number.
    func write(states count: Int, keys: Int) async throws {
        try await write(
            (0..<count).map { number in
                let purchase = "key-\(number % keys)"
                return KafkaProducerRecord(
                    topic: production, key: TestState.key(purchase), value: TestState.value(purchase, number))
            })
    }

    /// Returns all records of the dead-letter topic of the production states.
    func deadLetters() async throws -> [KafkaRecord] {
        let topic = production.deadLetters(of: "sluice-webhooks")
        let offsets = (0..<Int32(partitions)).map {
            (KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)), KafkaOffset.beginning)
        }
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(
            kafka, from: Dictionary(uniqueKeysWithValues: offsets), within: .seconds(20)
        ) { records += $0 }
        return records
    }

    /// Returns the command line of a service that posts to the URL.
    ///
    /// - Parameter prefix: prefix of the topics; nil for this installation's.
    func arguments(url: String, keys: [[UInt8]] = [TestKey.first], prefix: String? = nil) throws -> [String] {
        let secrets = try directory.write(keys.map(TestKey.line).joined(separator: "\n") + "\n", to: "secrets")
        return [
            "--kafka.bootstrap.servers", kafka.bootstrapServers, "--topics.prefix",
            prefix ?? topics.prefix,
            "--profile", "single-node", "--admin.port", "0", "--data.dir", directory.path,
            "--webhooks.url", url, "--webhooks.secret.file", secrets,
        ]
    }
}

typealias RunningWebhooks = RunningServices

extension RunningServices {
    convenience init(_ arguments: [String]) async throws {
        let configuration = try configuration(arguments)
        try await self.init { logger, registry in
            try await WebhooksApplication.application.services(configuration, logger: logger, metrics: registry)
        }
    }

    func attempts(_ outcome: WebhooksOutcome) -> Double {
        metric("sluice_webhooks_attempts_total{outcome=\"\(outcome.rawValue)\"}")
    }
}
