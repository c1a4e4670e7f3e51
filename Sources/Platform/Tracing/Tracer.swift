internal import Primitives
package import Telemetry

/// Starts traces and spans. A process without traces has no tracer. In that case, tracing costs nothing: no clock is
/// read, nothing is allocated, and no header is added.
package final class Tracer: Sendable {
    /// The queue of finished spans.
    package let queue: SpanQueue
    /// The traces of recently changed rows.
    package let recent = RecentTraces()
    private let sampler: Sampler
    private let ids: SpanIds
    private let clock: @Sendable () -> UInt64

    /// - Parameter clock: returns the wall-clock time in nanoseconds since 1970.
    package init(
        _ sampler: Sampler, queue: SpanQueue, ids: SpanIds = SpanIds(),
        clock: @escaping @Sendable () -> UInt64 = SystemClock.wallNanoseconds
    ) {
        self.sampler = sampler
        self.queue = queue
        self.ids = ids
        self.clock = clock
    }

    /// Returns the context for this process's first span in a trace, including the decision whether to record the
    /// trace. Pass it to everything that continues the trace, so that other processes make the same decision.
    ///
    /// - Parameters:
    ///   - parent: the caller's span, or nil to begin a trace.
    ///   - isTrusted: whether the caller may decide whether to record. If not, the sampler decides based on a random
    ///     number, because an untrusted client could also choose the trace id.
    package func context(of parent: TraceParent?, isTrusted: Bool = true) -> TraceParent {
        guard let parent else {
            let (high, low, span) = ids.nextIds()
            return TraceParent(
                traceIdHigh: high, traceIdLow: low, spanId: span,
                flags: Self.random | flag(sampler.isSampled(traceIdLow: low, parent: nil)))
        }
        let isSampled =
            isTrusted
            ? sampler.isSampled(traceIdLow: parent.traceIdLow, parent: parent)
            : sampler.isSampled(traceIdLow: ids.nextId(), parent: nil)
        return TraceParent(
            traceIdHigh: parent.traceIdHigh, traceIdLow: parent.traceIdLow, spanId: ids.nextId(),
            flags: parent.flags & Self.random | flag(isSampled))
    }

    /// Starts this process's first span in a trace.
    ///
    /// - Parameters:
    ///   - parent: another process's span, or nil.
    /// - Returns: nil if the trace is not recorded.
    package func start(_ name: String, _ kind: SpanKind, parent: TraceParent?) -> Span? {
        let context = context(of: parent)
        guard context.isSampled else { return nil }
        return span(name, kind, context: context, parentId: parent?.spanId ?? 0)
    }

    /// Starts a span with the given context, which must be sampled.
    ///
    /// - Parameters:
    ///   - parentId: the parent's span id, or 0.
    ///   - start: the start time, in nanoseconds since 1970; nil means now.
    package func span(
        _ name: String, _ kind: SpanKind, context: TraceParent, parentId: UInt64, at start: UInt64? = nil
    ) -> Span {
        Span(context: context, tracer: self, parentId: parentId, name: name, kind: kind, start: start ?? clock())
    }

    /// The wall-clock time in nanoseconds since 1970.
    package func now() -> UInt64 { clock() }

    func child(of context: TraceParent) -> TraceParent {
        TraceParent(
            traceIdHigh: context.traceIdHigh, traceIdLow: context.traceIdLow, spanId: ids.nextId(),
            flags: context.flags)
    }

    func record(_ span: FinishedSpan) { queue.add(span) }

    /// The flag for random trace ids, as defined by Trace Context level 2.
    private static let random: UInt8 = 0b10

    private func flag(_ isSampled: Bool) -> UInt8 { isSampled ? 1 : 0 }
}
