internal import Telemetry

/// The names of the export's own metrics. They are a public contract.
enum OTLPMetricName {
    static let exports = "sluice_otlp_exports_total"
    static let spans = "sluice_otlp_spans_total"
    static let queuedSpans = "sluice_otlp_queued_spans"
}

extension LogKey {
    static let signal = LogKey(rawValue: "signal")
    static let status = LogKey(rawValue: "status")
}
