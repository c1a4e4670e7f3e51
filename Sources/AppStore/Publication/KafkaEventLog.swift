package import Kafka
package import Telemetry

/// Logs the producer's events. librdkafka's log lines and errors are rate-limited, because an unavailable broker causes
/// the same ones over and over.
package final class KafkaEventLog: Sendable {
    private let logger: Logger
    private let limited: RateLimitedLogger

    package init(_ logger: Logger) {
        self.logger = logger
        limited = RateLimitedLogger(logger, perSecond: 1)
    }

    package func take(_ event: KafkaClientEvent) {
        switch event {
        case .log(let line):
            let level: Logger.Level = line.level <= 3 ? .warning : .debug
            limited.log(
                level, key: line.facility, "librdkafka",
                [LogField(.facility, line.facility), LogField(.detail, line.message)])
        case .error(let error, _):
            limited.log(.warning, key: error.name, "kafka error", [LogField(.error, error.description)])
        case .producerReplaced(let generation, let error):
            logger.error(
                "kafka producer replaced after a fatal error",
                [LogField(.generation, generation), LogField(.error, error.description)])
        case .statistics: break
        }
    }
}
