internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ServiceKit
internal import Telemetry

/// Writes dead letters. This service stops after the pipeline, so the dead letters for the last records are still
/// acknowledged.
final class DeadLetterProducer: Sendable {
    /// The maximum request size in bytes. A dead letter is its record plus at most 12 KB of headers, and by default
    /// brokers accept batches of up to 1,048,588 bytes. Batches of several dead letters are limited by `batch.size`,
    /// 1,000,000 bytes.
    private static let maximumBytes = 1_048_000
    private static let property = "message.max.bytes"

    private let producer: KafkaProducer

    /// - Throws: a `StartupError`.
    init(_ kafka: KafkaConfiguration, topics: [KafkaTopic], logger: Logger) throws(StartupError) {
        // The configured limit is meant for records that the ingress writes, and dead letters are larger.
        let limit = max(Self.maximumBytes, (kafka.properties[Self.property].flatMap { Int($0) } ?? 0) + 65_536)
        let log = RateLimitedLogger(logger, perSecond: 1)
        do {
            // A longer timeout is safe, because the record's offset is not committed in the meantime.
            let patient = try kafka.adding(["delivery.timeout.ms": "30000"]) { given, _ in given }
            let own = try patient.adding([Self.property: String(min(limit, 1_000_000_000))]) { $1 }
            producer = try KafkaProducer(own, topics: topics) { event in
                guard case .error(let error, _) = event else { return }
                log.log(.warning, key: error.name, "dead letter producer error", [LogField(.error, error.message)])
            }
        } catch {
            throw StartupError(
                error.message, setting: ApplicationSettings.kafka.prefix + "*", fix: "Correct the property",
                exitCode: .configuration)
        }
    }

    func stop(within limit: Duration) async {
        await producer.close(within: limit)
    }

    /// Writes a record. Returns once all in-sync replicas have stored it.
    func send(_ record: KafkaProducerRecord) async throws {
        _ = try await producer.send(record, deadline: .seconds(35))
    }
}
