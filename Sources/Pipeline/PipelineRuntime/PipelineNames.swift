internal import Telemetry

/// Names of the runtime's metrics, identical in every consumer. These names are a contract.
enum PipelineMetricName {
    static let records = "sluice_consumer_records_total"
    static let reasons = "sluice_consumer_reasons_total"
    static let retries = "sluice_consumer_retries_total"
    static let handlerDuration = "sluice_consumer_handler_duration_seconds"
    static let deadLetterFailures = "sluice_consumer_dead_letter_failures_total"
    static let truncatedDeadLetters = "sluice_consumer_dead_letters_truncated_total"
    static let lagRecords = "sluice_consumer_lag_records"
    static let lagSeconds = "sluice_consumer_lag_seconds"
    static let unfinishedRecords = "sluice_consumer_unfinished_records"
    static let oldestUnfinishedSeconds = "sluice_consumer_oldest_unfinished_seconds"
    static let assignedPartitions = "sluice_consumer_assigned_partitions"
    static let rebalances = "sluice_consumer_rebalances_total"
    static let commitFailures = "sluice_consumer_commit_failures_total"
    static let offsetResets = "sluice_consumer_offset_resets_total"
    static let brokersUp = "sluice_consumer_brokers_up"
    static let errors = "sluice_consumer_client_errors_total"
    static let paused = "sluice_consumer_paused"
    static let controlReading = "sluice_consumer_control_reading"
    static let controlIgnored = "sluice_consumer_control_ignored_total"
}

/// Label names of the runtime's metrics.
enum PipelineMetricLabel {
    static let topic = "topic"
    static let partition = "partition"
    static let outcome = "outcome"
    static let reason = "reason"
    static let cause = "cause"
    static let kind = "kind"
    static let group = "group"
}

extension LogKey {
    static let topic = LogKey(rawValue: "topic")
    static let partition = LogKey(rawValue: "partition")
    static let partitions = LogKey(rawValue: "partitions")
    static let offset = LogKey(rawValue: "offset")
    static let expectedOffset = LogKey(rawValue: "expectedOffset")
    static let group = LogKey(rawValue: "group")
    static let author = LogKey(rawValue: "author")
    static let attempts = LogKey(rawValue: "attempts")
    static let errorType = LogKey(rawValue: "errorType")
    static let code = LogKey(rawValue: "code")
    static let ageSeconds = LogKey(rawValue: "ageSeconds")
    static let facility = LogKey(rawValue: "facility")
    static let clientMessage = LogKey(rawValue: "clientMessage")
    static let finding = LogKey(rawValue: "finding")
    static let traceId = LogKey(rawValue: "traceId")
    static let path = LogKey(rawValue: "path")
    static let milliseconds = LogKey(rawValue: "milliseconds")
    static let omitted = LogKey(rawValue: "omitted")
    static let bytes = LogKey(rawValue: "bytes")
    static let deadLetterTopic = LogKey(rawValue: "deadLetterTopic")
}
