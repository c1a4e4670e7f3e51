internal import Telemetry

/// Exports the metrics of a registry, which are cumulative, so that a failed export loses nothing but resolution.
struct MetricExport: Sendable {
    let metrics: MetricsRegistry
    let resource: [ResourceAttribute]
    let client: MonitoredClient
    /// The start of the process, in nanoseconds since 1970.
    let start: UInt64
    let clock: @Sendable () -> UInt64

    /// Makes one attempt.
    func export(within limit: Duration? = nil) async {
        let encoding = MetricEncoding(start: start, now: clock())
        _ = await client.post(encoding.text(metrics.samples(), resource: resource), within: limit)
    }
}
