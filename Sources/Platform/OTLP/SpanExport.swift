internal import Synchronization
internal import Telemetry
internal import Tracing

/// Exports a queue's spans in batches, one batch at a time.
final class SpanExport: Sendable {
    /// The delays before retries of a batch. If the last retry fails, the batch is dropped.
    private static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]
    /// The limit on the `Retry-After` of a collector. During the wait, spans remain in the queue, and are dropped when
    /// it is full.
    private static let longestRetryAfter = Duration.seconds(300)

    private let queue: SpanQueue
    private let resource: [ResourceAttribute]
    private let client: MonitoredClient
    private let counters: LabelledCounters
    /// The batch from a cancelled export; empty if there is none.
    private let pending = Mutex<[FinishedSpan]>([])

    init(queue: SpanQueue, resource: [ResourceAttribute], client: MonitoredClient, metrics: MetricsRegistry) {
        self.queue = queue
        self.resource = resource
        self.client = client
        counters = metrics.counters(
            OTLPMetricName.spans, help: "Spans in recorded traces, by outcome.", label: "outcome",
            values: ["exported", "rejected", "export_failed"])
        metrics.collect { samples in
            samples.counter(
                OTLPMetricName.spans, help: "Spans in recorded traces, by outcome.",
                labels: [MetricLabel("outcome", "queue_full")], queue.dropped)
            samples.gauge(
                OTLPMetricName.queuedSpans, help: "Spans waiting to be exported.", Double(queue.count))
        }
    }

    /// Waits for a full batch or until the delay has passed, then exports all spans in the queue.
    func export(after delay: Duration) async {
        await queue.waitForBatch(within: delay)
        while !Task.isCancelled {
            let batch = queue.take()
            guard !batch.isEmpty else { return }
            await export(batch)
        }
    }

    /// Makes one attempt to export each remaining batch, until an attempt fails or the time limit has passed.
    func flush(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        var batch = pending.withLock { $0 }
        if batch.isEmpty { batch = queue.take() }
        while !batch.isEmpty {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { break }
            if !finish(batch, await client.post(text(batch), within: left)) { break }
            batch = queue.take()
        }
        counters["export_failed"].increment(by: UInt64(clamping: batch.count + queue.count))
    }

    private func export(_ batch: [FinishedSpan]) async {
        let body = text(batch)
        for wait in Self.waits.map(Optional.some) + [nil] {
            let outcome = await client.post(body)
            if finish(batch, outcome) { return }
            guard case .retriable(_, let after) = outcome, let wait else { break }
            try? await Task.sleep(for: Self.delay(wait, retryAfter: after))
            if Task.isCancelled { break }
        }
        // Leave the batch for the flush, which makes one more attempt.
        if Task.isCancelled { return pending.withLock { $0 = batch } }
        counters["export_failed"].increment(by: UInt64(clamping: batch.count))
    }

    /// Returns the delay before a retry: the time requested by the collector, within the limit, but at least `wait`.
    static func delay(_ wait: Duration, retryAfter: Duration?) -> Duration {
        max(wait, min(retryAfter ?? .zero, longestRetryAfter))
    }

    /// Counts a batch that the collector accepted. Returns false for any other outcome.
    private func finish(_ batch: [FinishedSpan], _ outcome: OTLPClient.Outcome) -> Bool {
        guard case .accepted(let rejected) = outcome else { return false }
        let lost = min(Int64(batch.count), rejected)
        counters["rejected"].increment(by: UInt64(clamping: lost))
        counters["exported"].increment(by: UInt64(clamping: Int64(batch.count) - lost))
        return true
    }

    private func text(_ batch: [FinishedSpan]) -> [UInt8] { TraceEncoding.text(batch, resource: resource) }
}
