internal import Telemetry

/// Names of this module's metrics.
enum OperatorEventMetricName {
    static let published = "sluice_operator_events_total"
    static let dropped = "sluice_operator_events_dropped_total"
}

/// The headers of an operator event, according to CloudEvents 1.0 and its Kafka protocol binding.
enum OperatorEventHeader {
    static let specVersion = "ce_specversion"
    static let id = "ce_id"
    static let type = "ce_type"
    static let source = "ce_source"
    static let subject = "ce_subject"
    static let time = "ce_time"
    static let contentType = "content-type"
    /// A CloudEvents extension.
    static let severity = "ce_severity"
}

extension LogKey {
    static let topic = LogKey(rawValue: "topic")
    static let eventType = LogKey(rawValue: "eventType")
}
