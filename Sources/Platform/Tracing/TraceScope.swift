/// The recorded spans to which the current task's work belongs, so that work started by a handler is part of the trace.
/// Tasks without a recorded span have no scope.
package struct TraceScope: Sendable {
    /// The current task's scope.
    @TaskLocal package static var current: TraceScope?

    /// The task's span, or nil if the task has several spans or also handles records without a span.
    package let span: Span?
    private let spans: [[UInt8]: Span]

    /// Creates a scope for one span.
    package init(_ span: Span) {
        self.span = span
        spans = [:]
    }

    /// Creates a scope for the records in a batch.
    ///
    /// - Parameters:
    ///   - spans: the spans of the records that have one, keyed by record key.
    ///   - isComplete: whether the batch contains no other records.
    package init(_ spans: [[UInt8]: Span], isComplete: Bool) {
        span = isComplete && spans.count == 1 ? spans.first?.value : nil
        self.spans = spans
    }

    /// Returns the span for work on a record with this key, or nil if there is none.
    package func span(forKey key: [UInt8]) -> Span? { spans[key] ?? span }
}
