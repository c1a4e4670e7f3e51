package import Configuration

/// Settings for exporting traces and metrics over OTLP. Each key is the lower-case form of an OpenTelemetry variable,
/// which is also read. The names and defaults are a public contract. Source: OpenTelemetry, "Environment variable
/// specification" and "OTLP exporter configuration", 1.47.
///
/// All values are strings that ``OTLPConfiguration`` parses, so that a variable meant for other programs cannot stop a
/// command that exports nothing.
package enum OTLPSettings {
    package static let disabled = text(
        "otel.sdk.disabled", default: "false", help: "true disables trace and metric export.")
    package static let tracesExporter = text(
        "otel.traces.exporter", default: "none", help: "otlp exports traces; none disables tracing.", example: "otlp")
    package static let metricsExporter = text(
        "otel.metrics.exporter", default: "none",
        help: "otlp periodically exports the metrics in /metrics; none does not export them.", example: "otlp")
    package static let endpoint = text(
        "otel.exporter.otlp.endpoint", default: "http://localhost:4318",
        help: "Base URL of the collector's OTLP/HTTP receiver; /v1/traces and /v1/metrics are appended.",
        example: "http://collector:4318")
    package static let tracesEndpoint = text(
        "otel.exporter.otlp.traces.endpoint", help: "URL for traces, used unchanged.",
        example: "http://collector:4318/v1/traces"
    ).optional
    package static let metricsEndpoint = text(
        "otel.exporter.otlp.metrics.endpoint", help: "URL for metrics, used unchanged.",
        example: "http://collector:4318/v1/metrics"
    ).optional
    package static let `protocol` = text(
        "otel.exporter.otlp.protocol", default: "http/json", help: "Export encoding; only http/json is supported.")
    package static let headers = text(
        "otel.exporter.otlp.headers",
        help: "Header fields for each export: comma-separated name=value pairs with percent-encoded values.",
        example: "authorization=Bearer%20token"
    ).secret.optional
    package static let headersFile = Setting<SecretFile>.secretFile(
        "otel.exporter.otlp.headers.file", help: "File with the value of otel.exporter.otlp.headers.",
        example: "/run/secrets/otlp-headers"
    ).optional
    package static let timeout = text(
        "otel.exporter.otlp.timeout", default: "10000", help: "Export timeout: milliseconds or a duration such as 10s.")
    package static let certificate = text(
        "otel.exporter.otlp.certificate", help: "PEM file with the roots to trust instead of the system's.",
        example: "/etc/ssl/collector.pem"
    ).optional
    package static let sampler = text(
        "otel.traces.sampler", default: "parentbased_always_on",
        help: """
            always_on, always_off, traceidratio, or one of these with the prefix parentbased_, to follow the \
            sampling decision in the caller's traceparent.
            """,
        example: "parentbased_traceidratio")
    package static let samplerArgument = text(
        "otel.traces.sampler.arg", default: "1.0",
        help: "Fraction of traces to sample, from 0 to 1, for ratio-based samplers.",
        example: "0.01")
    package static let serviceName = text(
        "otel.service.name", help: "The resource attribute service.name; by default, the executable's name.",
        example: "sluice-ingress-eu"
    ).optional
    package static let resourceAttributes = text(
        "otel.resource.attributes",
        help: "Additional resource attributes: comma-separated key=value pairs with percent-encoded values.",
        example: "deployment.environment.name=production"
    ).optional
    package static let metricInterval = text(
        "otel.metric.export.interval", default: "60000",
        help: "Interval between metric exports: milliseconds or a duration such as 60s.")
    package static let scheduleDelay = text(
        "otel.bsp.schedule.delay", default: "5000",
        help: "Maximum time between span exports: milliseconds or a duration such as 5s.")
    package static let queueSize = text(
        "otel.bsp.max.queue.size", default: "2048", help: "Maximum number of spans waiting for export.")
    package static let batchSize = text(
        "otel.bsp.max.export.batch.size", default: "512", help: "Maximum number of spans in an export.")

    package static let all: [any AnySetting] = [
        disabled, tracesExporter, metricsExporter, endpoint, tracesEndpoint, metricsEndpoint, `protocol`, headers,
        headersFile, timeout, certificate, sampler, samplerArgument, serviceName, resourceAttributes, metricInterval,
        scheduleDelay, queueSize, batchSize,
    ]

    private static func text(
        _ key: String, default fallback: String? = nil, help: String, example: String? = nil
    ) -> Setting<String> {
        // OpenTelemetry's variables are the keys in upper case, with underscores.
        let variable = String(key.map { $0 == "." ? "_" : $0 }).uppercased()
        return Setting.string(key, default: fallback, help: help, example: example).alsoRead(from: variable)
    }
}
