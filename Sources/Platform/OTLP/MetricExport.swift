internal import Telemetry

/// Exports a registry's metrics. They are cumulative, so a failed export loses only resolution.
struct MetricExport: Sendable {
    let metrics: MetricsRegistry
    let resource: [ResourceAttribute]
    let client: MonitoredClient
    /// The process start time, in nanoseconds since 1970.
    let start: UInt64
    let clock: @Sendable () -> UInt64

    /// Makes one attempt to export the metrics.
    func export(within limit: Duration? = nil) async {
        let encoding = MetricEncoding(start: start, now: clock())
        _ = await client.post(encoding.text(metrics.samples(), resource: resource), within: limit)
    }
}
