package import Telemetry

/// A span's role. The raw values are those of OTLP's `SpanKind`.
package enum SpanKind: Int32, Sendable {
    case `internal` = 1
    case server = 2
    case client = 3
    case producer = 4
    case consumer = 5
}

/// An operation in a sampled trace. A span that is never ended is not recorded.
package struct Span: Sendable {
    /// This span's context: the parent context of its child spans, and the value of the `traceparent` header.
    package let context: TraceParent
    let tracer: Tracer
    /// The parent's span id, or 0.
    let parentId: UInt64
    let name: String
    let kind: SpanKind
    /// The start time, in nanoseconds since 1970.
    let start: UInt64

    /// Starts a span within this one.
    ///
    /// - Parameter start: the start time, in nanoseconds since 1970; nil means now.
    package func child(_ name: String, _ kind: SpanKind, at start: UInt64? = nil) -> Span {
        tracer.span(name, kind, context: tracer.child(of: context), parentId: context.spanId, at: start)
    }

    /// Records a child span that has already ended.
    ///
    /// - Parameters:
    ///   - duration: the span's duration in nanoseconds.
    ///   - error: a code for the failure, or nil.
    package func recordChild(
        _ name: String, _ kind: SpanKind, nanoseconds duration: UInt64, _ attributes: [SpanAttribute],
        error: String? = nil
    ) {
        let end = tracer.now()
        child(name, kind, at: end - min(end, duration)).end(attributes, error: error, at: end)
    }

    /// Stores this span as the one that last changed a row, for later work on the row.
    package func remember(forKey key: [UInt8]) { tracer.recent.remember(context, forKey: key) }

    /// Stores this span as the exemplar for a duration in a histogram measured in seconds.
    package func exemplify(_ histogram: Histogram, nanoseconds: UInt64) {
        histogram.exemplify(Double(nanoseconds) / 1e9, context, at: tracer.now())
    }

    /// Ends the span and queues it for export. Call it once.
    ///
    /// - Parameters:
    ///   - error: a code for the failure, which must not contain personal data, or nil. It becomes the `error.type`
    ///     attribute.
    ///   - end: the end time, in nanoseconds since 1970; nil means now.
    package func end(_ attributes: [SpanAttribute] = [], error: String? = nil, at end: UInt64? = nil) {
        tracer.record(
            FinishedSpan(
                context: context, parentId: parentId, name: name, kind: kind, start: start,
                end: max(start, end ?? tracer.now()),
                attributes: error.map { attributes + [SpanAttribute(.errorType, $0)] } ?? attributes,
                isError: error != nil))
    }
}

/// A span that is waiting to be exported.
package struct FinishedSpan: Sendable, Equatable {
    package let context: TraceParent
    /// The parent's span id, or 0.
    package let parentId: UInt64
    package let name: String
    package let kind: SpanKind
    /// The times in nanoseconds since 1970; the end is not before the start.
    package let start: UInt64
    package let end: UInt64
    package let attributes: [SpanAttribute]
    package let isError: Bool
}
