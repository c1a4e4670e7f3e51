package import Kafka
internal import Synchronization
package import Telemetry
internal import Tracing

/// Counts and logs the partition workers' activity.
final class PipelineTelemetry: Sendable {
    private struct TopicCounters {
        let done: Counter
        let skipped: Counter
        let deadLettered: Counter
    }

    /// The maximum number of distinct reason codes. Additional codes are counted as `other`, because handlers choose
    /// the codes and the number of metric labels must be limited.
    private static let maximumReasons = 64

    private let logger: Logger
    private let frequent: RateLimitedLogger
    private let registry: MetricsRegistry
    private let topics: [KafkaTopic: TopicCounters]
    private let infrastructureRetries: Counter
    private let recordRetries: Counter
    private let duration: Histogram
    private let deadLetterFailures: Counter
    private let truncatedDeadLetters: Counter
    private let reasons = Mutex<[String: Counter]>([:])

    init(topics: [KafkaTopic], logger: Logger, registry: MetricsRegistry) {
        self.logger = logger
        self.registry = registry
        frequent = RateLimitedLogger(logger, perSecond: 1)
        var counters: [KafkaTopic: TopicCounters] = [:]
        for topic in topics {
            func outcome(_ name: String) -> Counter {
                registry.counter(
                    PipelineMetricName.records, help: "Records finished, by outcome.",
                    labels: [
                        MetricLabel(PipelineMetricLabel.topic, topic.rawValue),
                        MetricLabel(PipelineMetricLabel.outcome, name),
                    ])
            }
            counters[topic] = TopicCounters(
                done: outcome("done"), skipped: outcome("skipped"), deadLettered: outcome("dead-lettered"))
        }
        self.topics = counters
        func retries(_ cause: String) -> Counter {
            registry.counter(
                PipelineMetricName.retries, help: "Retries, by cause.",
                labels: [MetricLabel(PipelineMetricLabel.cause, cause)])
        }
        infrastructureRetries = retries("infrastructure")
        recordRetries = retries("record")
        duration = registry.histogram(
            PipelineMetricName.handlerDuration, help: "Duration of one handler call, for a record or a batch.")
        deadLetterFailures = registry.counter(
            PipelineMetricName.deadLetterFailures,
            help: "Dead letters that were not acknowledged and had to be sent again.")
        truncatedDeadLetters = registry.counter(
            PipelineMetricName.truncatedDeadLetters,
            help: "Dead letters written without the record's value to stay within the size limit.")
    }

    func handled(since start: Int64) {
        duration.observe(nanoseconds: MonotonicClock.nanoseconds() - start)
    }

    /// Records a traced call as an exemplar of the duration metric.
    func exemplify(_ span: Span, since start: Int64) {
        span.exemplify(duration, nanoseconds: UInt64(clamping: MonotonicClock.nanoseconds() - start))
    }

    /// Counts a record that has been handled. Dead letters are counted by ``deadLettered(_:to:_:_:)``.
    func finished(_ record: KafkaRecord, _ verdict: HandlerVerdict) {
        switch verdict {
        case .skip(let reason):
            topics[record.topic]?.skipped.increment()
            count(reason.code, outcome: "skipped")
        case .done: topics[record.topic]?.done.increment()
        case .retry, .deadLetter: break
        }
    }

    func deadLettered(
        _ record: KafkaRecord, to topic: KafkaTopic, _ cause: DeadLetterCause, _ content: DeadLetter.Content
    ) {
        if let omitted = content.omitted {
            truncatedDeadLetters.increment()
            frequent.log(
                .error, key: "dead-letter-truncated", "dead letter too large; written without its value",
                record.logFields + [
                    LogField(.deadLetterTopic, topic.rawValue), LogField(.omitted, omitted),
                    LogField(.bytes, record.payloadBytes),
                ])
        }
        topics[record.topic]?.deadLettered.increment()
        count(cause.reason, outcome: "dead-lettered")
        frequent.log(
            .warning, key: "dead-lettered-\(cause.reason)", "record dead-lettered",
            record.logFields + [
                LogField(.deadLetterTopic, topic.rawValue), LogField(.reason, cause.reason),
                LogField(.error, cause.message), LogField(.attempts, cause.attempts),
            ])
    }

    func deadLetterFailed(_ record: KafkaRecord, to topic: KafkaTopic, _ error: any Error) {
        deadLetterFailures.increment()
        frequent.log(
            .error, key: "dead-letter-failed", "dead letter not acknowledged; retrying",
            record.logFields + [LogField(.deadLetterTopic, topic.rawValue), LogField(.error, "\(error)")])
    }

    /// Counts a retry after a failed attempt. If `error` is nil, the handler returned `retry`.
    func retry(_ partition: KafkaTopicPartition, _ fault: Fault, _ error: (any Error)?) {
        (fault == .record ? recordRetries : infrastructureRetries).increment()
        guard let error else { return }
        frequent.log(
            .warning, key: fault == .record ? "retry-record" : "retry-infrastructure", "attempt failed; retrying",
            partition.logFields + [LogField(.errorType, "\(type(of: error))"), LogField(.error, "\(error)")])
    }

    /// Counts records that a flush made durable.
    func flushed(_ topic: KafkaTopic, records: Int) {
        topics[topic]?.done.increment(by: UInt64(clamping: records))
    }

    func flushFailed(_ partition: KafkaTopicPartition, _ error: any Error) {
        infrastructureRetries.increment()
        frequent.log(
            .warning, key: "flush", "flush failed; retrying",
            partition.logFields + [LogField(.errorType, "\(type(of: error))"), LogField(.error, "\(error)")])
    }

    func preparationFailed(_ partition: KafkaTopicPartition, _ error: any Error) {
        infrastructureRetries.increment()
        frequent.log(
            .warning, key: "preparation", "failed to prepare the partition; retrying",
            partition.logFields + [LogField(.error, "\(error)")])
    }

    private func count(_ reason: String, outcome: String) {
        let key = "\(outcome) \(reason)"
        let counter = reasons.withLock { reasons in
            if let counter = reasons[key] { return counter }
            let label = reasons.count < Self.maximumReasons ? reason : "other"
            let counter = registry.counter(
                PipelineMetricName.reasons, help: "Records skipped and dead-lettered, by reason.",
                labels: [
                    MetricLabel(PipelineMetricLabel.outcome, outcome), MetricLabel(PipelineMetricLabel.reason, label),
                ])
            // Codes counted as `other` are not stored.
            if label == reason { reasons[key] = counter }
            return counter
        }
        counter.increment()
    }
}

extension KafkaTopicPartition {
    package var logFields: [LogField] {
        [LogField(.topic, topic.rawValue), LogField(.partition, partition.rawValue)]
    }
}

extension KafkaRecord {
    /// The record's position, and its trace ID if the headers contain one.
    fileprivate var logFields: [LogField] {
        let fields = topicPartition.logFields + [LogField(.offset, offset.rawValue)]
        let traceParent = header("traceparent")?.value.map { String(decoding: $0, as: UTF8.self) }
        guard let traceId = traceParent.flatMap({ TraceParent.parse($0)?.traceId }) else { return fields }
        return fields + [LogField(.traceId, traceId)]
    }
}
