package import Configuration
package import Lifecycle
internal import Primitives
package import Telemetry
package import Tracing

/// An executable's tracer and export services, configured by ``OTLPSettings``. If neither traces nor metrics are
/// exported, there is no tracer and no service.
package struct OpenTelemetry: Sendable {
    /// The tracer, or nil if no traces are recorded.
    package let tracer: Tracer?
    /// The export services, which must start before all services that record spans.
    package let services: [any Service]

    /// - Parameter executable: the default for `service.name`.
    /// - Throws: a `ConfigurationError`.
    package init(
        _ configuration: Configuration, executable: String, metrics: MetricsRegistry, logger: Logger
    ) throws(ConfigurationError) {
        self.init(try OTLPConfiguration(configuration), executable: executable, metrics: metrics, logger: logger)
    }

    package init(_ configuration: OTLPConfiguration, executable: String, metrics: MetricsRegistry, logger: Logger) {
        guard configuration.tracesURL != nil || configuration.metricsURL != nil else {
            tracer = nil
            services = []
            return
        }
        let queue =
            configuration.tracesURL == nil
            ? nil : SpanQueue(capacity: configuration.queueSize, batch: configuration.batchSize)
        tracer = queue.map { Tracer(configuration.sampler, queue: $0) }
        let resource = ResourceAttribute.all(
            executable: executable, instance: TraceParent.random().traceId, configured: configuration.resource)
        services = [
            OTLPExport(
                configuration, resource: resource, queue: queue, metrics: metrics, logger: logger,
                start: SystemClock.wallNanoseconds())
        ]
    }
}
