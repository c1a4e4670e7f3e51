internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ServiceKit
internal import Telemetry

/// Writes dead letters. Stopped after the pipeline, so that what the last records leave behind is acknowledged.
final class DeadLetterProducer: Sendable {
    private let producer: KafkaProducer

    /// - Throws: a `StartupError`.
    init(_ kafka: KafkaConfiguration, topics: [KafkaTopic], logger: Logger) throws(StartupError) {
        // A dead letter is its record and at most 11 KB of headers; brokers take 1,048,588 bytes by default. The record
        // stays uncommitted meanwhile, so there is time.
        let own = ["message.max.bytes": "1040000", "delivery.timeout.ms": "30000"]
        let log = RateLimitedLogger(logger, perSecond: 1)
        do {
            producer = try KafkaProducer(
                KafkaConfiguration(
                    bootstrapServers: kafka.bootstrapServers,
                    properties: kafka.properties.merging(own) { given, _ in given },
                    profile: kafka.profile), topics: topics
            ) { event in
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

    /// Returns when all in-sync replicas have the record.
    func send(_ record: KafkaProducerRecord) async throws {
        _ = try await producer.send(record, deadline: .seconds(35))
    }
}
