internal import HTTPServer
internal import Primitives
internal import Telemetry
internal import Tracing

/// Starts and ends request spans.
struct RequestTracing: Sendable {
    /// The name of a request's span, as defined by the semantic conventions for HTTP.
    private static let name = "POST /notifications"

    let tracer: Tracer
    let metrics: IngressMetrics
    /// Returns monotonic nanoseconds.
    let clock: @Sendable () -> UInt64
    /// The server's time limit for a response, in nanoseconds.
    let handlerNanoseconds: UInt64

    /// Returns the trace of a request. Only trusted proxies can turn recording on; otherwise, a client could have all
    /// of its requests recorded.
    func trace(of request: HTTPRequest, _ parent: TraceParent?) -> RequestTrace {
        let context = tracer.context(of: parent, isTrusted: request.isFromProxy)
        guard context.isSampled else { return .unrecorded(context) }
        // The request started earlier, when its first byte arrived.
        let (now, elapsed) = (tracer.now(), request.receivedAt &- request.startedAt)
        return .recorded(
            tracer.span(
                Self.name, .server, context: context, parentId: parent?.spanId ?? 0, at: now - min(now, elapsed)))
    }

    /// Returns an exchange that ends the span when the request is answered.
    func exchange(_ exchange: Exchange, of request: HTTPRequest, ending span: Span) -> Exchange {
        let (bytes, dispatched, started) = (request.body.count, request.receivedAt, request.startedAt)
        return exchange.observed { response in
            let now = clock()
            // If this response is too late, the server has already sent its own.
            let isLate = now &- dispatched >= handlerNanoseconds
            let status = isLate ? 503 : response.status
            let reason = isLate ? "deadline" : response.reason
            span.end(
                [
                    SpanAttribute(.method, "POST"), SpanAttribute(.route, "/notifications"),
                    SpanAttribute(.scheme, "http"), SpanAttribute(.status, status), SpanAttribute(.bodySize, bytes),
                    SpanAttribute(.reason, reason),
                ], error: status >= 500 ? reason : nil)
            metrics.answered(span, nanoseconds: now &- started)
        }
    }
}
