internal import HTTPServer
internal import Kafka
internal import Telemetry
internal import Tracing

/// The trace to which a request belongs.
enum RequestTrace: Sendable {
    /// Tracing is off. The client's trace context, if any, becomes a record header.
    case off(TraceParent?)
    /// The trace is not recorded. Its context becomes a record header, so consumers do not record it either.
    case unrecorded(TraceParent)
    /// The trace is recorded, with the span of the request.
    case recorded(Span)

    /// The span of the request, or nil if the trace is not recorded.
    var span: Span? { if case .recorded(let span) = self { span } else { nil } }

    /// Returns the value of the record's `traceparent` header, or nil if there is none.
    ///
    /// - Parameter sending: the span for sending the record, if the trace is recorded.
    func header(_ sending: Span?) -> String? {
        switch self {
        case .off(let parent): parent?.text
        case .unrecorded(let context): context.text
        case .recorded(let span): (sending ?? span).context.text
        }
    }

    /// Starts the span for sending the record, if the trace is recorded.
    func startSending(to topic: KafkaTopic) -> Span? { span?.child("send \(topic)", .producer) }
}
