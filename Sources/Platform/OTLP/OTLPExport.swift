internal import HTTPClient
internal import Lifecycle
internal import Primitives
internal import Synchronization
package import Telemetry
package import Tracing

/// Exports spans in batches and metrics periodically, until it is stopped.
///
/// Nothing waits for the collector. While it does not respond, spans are dropped and counted, and metrics are exported
/// again at the next interval. The service starts first and stops last, so that the other services' last spans are also
/// exported.
package final class OTLPExport: Service {
    package let name = "telemetry export"

    /// The maximum time for the last exports when the process stops.
    static let flushLimit = Duration.seconds(2)

    private let configuration: OTLPConfiguration
    private let spans: SpanExport?
    private let metrics: MetricExport?
    private let client: HTTPClient
    private let stopping = Completion()
    private let flushed = Completion()
    private let flushTime = Mutex(OTLPExport.flushLimit)

    /// - Parameters:
    ///   - queue: the spans to export, or nil.
    ///   - metrics: the metrics to export; the export's own metrics are added to them.
    ///   - start: the process start time, in nanoseconds since 1970.
    ///   - clock: returns the wall-clock time in nanoseconds since 1970.
    package init(
        _ configuration: OTLPConfiguration, resource: [ResourceAttribute], queue: SpanQueue?, metrics: MetricsRegistry,
        logger: Logger, start: UInt64, clock: @escaping @Sendable () -> UInt64 = SystemClock.wallNanoseconds
    ) {
        self.configuration = configuration
        let client = HTTPClient(configuration.http)
        self.client = client
        func post(_ url: String, _ signal: String) -> MonitoredClient {
            MonitoredClient(
                OTLPClient(url: url, headers: configuration.headers, timeout: configuration.timeout, client: client),
                signal: signal, metrics: metrics, logger: logger)
        }
        spans = configuration.tracesURL.flatMap { url in
            queue.map { SpanExport(queue: $0, resource: resource, client: post(url, "traces"), metrics: metrics) }
        }
        self.metrics = configuration.metricsURL.map { url in
            MetricExport(
                metrics: metrics, resource: resource, client: post(url, "metrics"), start: start, clock: clock)
        }
    }

    package func start() async throws {}

    /// Exports until ``stop(within:)`` is called or the task is cancelled.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            if let spans {
                group.addTask { [delay = configuration.scheduleDelay] in
                    while !Task.isCancelled { await spans.export(after: delay) }
                }
            }
            if let metrics {
                group.addTask { [stopping, interval = configuration.metricInterval] in
                    while !Task.isCancelled {
                        if await stopping.wait(within: interval, endsWhenCancelled: true) { return }
                        await metrics.export()
                    }
                }
            }
            group.addTask { [stopping] in
                while !Task.isCancelled {
                    if await stopping.wait(within: .seconds(86_400), endsWhenCancelled: true) { return }
                }
            }
            await group.next()
            group.cancelAll()
        }
        await flush()
        flushed.complete()
    }

    /// Exports the remaining spans and metrics, within at most two seconds.
    package func stop(within limit: Duration) async {
        let time = min(limit * 0.8, Self.flushLimit)
        flushTime.withLock { $0 = time }
        stopping.complete()
        _ = await flushed.wait(within: time + .milliseconds(100))
        client.close()
    }

    private func flush() async {
        let limit = flushTime.withLock { $0 }
        await withTaskGroup(of: Void.self) { group in
            if let spans { group.addTask { await spans.flush(within: limit) } }
            if let metrics { group.addTask { await metrics.export(within: limit) } }
        }
    }
}
