internal import AppStoreModel
internal import HTTPClient
internal import Tracing

/// Creates spans for requests to Apple within a recorded trace. No trace context is sent to Apple.
extension AppStoreServerClient {
    /// The path contains customer identifiers, so only the host is recorded.
    func spanAttributes(
        _ request: APIRequest, _ url: String, _ scope: APIScope, _ response: HTTPClientResponse?
    ) -> [SpanAttribute] {
        let attributes = [
            SpanAttribute(.method, request.operation.method), SpanAttribute(.operation, "\(request.operation)"),
            SpanAttribute(.environment, scope.environment.rawValue),
        ]
        return attributes + SpanAttribute.server(of: url)
            + (response.map { [SpanAttribute(.status, $0.status)] } ?? [])
    }

    func spanError(_ response: HTTPClientResponse) -> String? {
        response.status >= 400 ? String(response.status) : nil
    }
}
