internal import HTTPClient
internal import SignedRequests
internal import Tracing

/// Spans for deliveries, one per attempt to deliver a record in a recorded trace.
extension WebhookSender {
    func endSpan(_ span: Span, _ message: WebhookMessage, _ response: HTTPClientResponse) {
        span.end(
            attributes(message) + [SpanAttribute(.status, response.status)],
            error: response.status >= 400 ? String(response.status) : nil)
    }

    func endSpan(_ span: Span, _ message: WebhookMessage, _ error: HTTPClientError) {
        span.end(attributes(message), error: error.code.description)
    }

    /// The URL may contain a secret in its path or query, so only its host is recorded.
    private func attributes(_ message: WebhookMessage) -> [SpanAttribute] {
        [
            SpanAttribute(.method, "POST"), SpanAttribute(.bodySize, message.body.count),
            SpanAttribute(.webhookId, message.id),
        ] + SpanAttribute.server(of: settings.url)
    }
}
