package import HTTPServer
package import JSON
internal import Synchronization

/// An OTLP/HTTP receiver for JSON on a local port.
package final class Collector: Sendable {
    /// A received span.
    package struct Span: Sendable {
        package let name: String
        package let kind: Int64?
        package let traceId: String
        package let spanId: String
        package let parentSpanId: String?
        package let isError: Bool
        /// The values of the attributes as text, by key.
        package let attributes: [String: String]
        /// The start and the end, in nanoseconds since 1970.
        package let start: UInt64
        package let end: UInt64
        /// The resource attribute `service.name`.
        package let service: String?
    }

    /// A received request.
    package struct Request: Sendable {
        package let path: String
        package let headers: [String: String]
        package let body: [UInt8]
    }

    private final class Notes: Sendable { let requests = Mutex<[Request]>([]) }

    private static let headers: [StaticString] = ["content-type", "authorization", "api-key"]

    private let server: HTTPServer
    private let notes: Notes

    /// - Parameter decide: returns the response to a request, given the request's number (starting at 1); nil sends no
    ///   response.
    package init(
        _ decide: @escaping @Sendable (Int) -> HTTPResponse? = { _ in
            HTTPResponse(status: 200, reason: "ok", body: Array("{}".utf8))
        }
    ) throws {
        let notes = Notes()
        self.notes = notes
        var limits = Limits.public
        limits.handlerTime = .seconds(60)
        server = HTTPServer(listeners: [
            Listener(
                name: "collector", host: "127.0.0.1", port: 0, limits: limits,
                admit: { head in head.methodIs("POST") ? .body(limit: 8 << 20) : .notFound },
                handle: { request, exchange in
                    var headers: [String: String] = [:]
                    for name in Self.headers { headers["\(name)"] = request.head.header(name) }
                    let received = Request(path: request.head.path, headers: headers, body: request.body)
                    let number = notes.requests.withLock { requests in
                        requests.append(received)
                        return requests.count
                    }
                    if let response = decide(number) { exchange.respond(response) }
                })
        ])
        try server.start()
    }

    package var url: String { "http://127.0.0.1:\(server.port())" }

    package var requests: [Request] { notes.requests.withLock { $0 } }

    package func stop() async { await server.drain(within: .zero) }

    // MARK: Contents

    /// The spans in all requests to `/v1/traces`. Requests in another format are ignored.
    package var spans: [Span] {
        requests.filter { $0.path == "/v1/traces" }.flatMap { Self.spans(in: $0.body) }
    }

    /// The metrics in the last request to `/v1/metrics`, by name.
    package var metrics: [String: JSONObject] {
        guard let request = requests.last(where: { $0.path == "/v1/metrics" }) else { return [:] }
        let scopes = Self.elements(of: try? JSONValue(json: request.body), "resourceMetrics", "scopeMetrics")
        let metrics = scopes.flatMap { $0.scope["metrics"]?.array ?? [] }.compactMap(\.object)
        return Dictionary(metrics.map { ($0["name"]?.string ?? "", $0) }) { first, _ in first }
    }

    /// Returns the spans in the body of a request.
    package static func spans(in body: [UInt8]) -> [Span] {
        elements(of: try? JSONValue(json: body), "resourceSpans", "scopeSpans").flatMap { resource, scope in
            (scope["spans"]?.array ?? []).compactMap(\.object).compactMap { span in
                Span(span, service: attributes(resource)["service.name"])
            }
        }
    }

    private static func elements(
        of body: JSONValue?, _ resources: String, _ scopes: String
    ) -> [(resource: JSONObject?, scope: JSONObject)] {
        (body?.object?[resources]?.array ?? []).compactMap(\.object).flatMap { resource in
            (resource[scopes]?.array ?? []).compactMap(\.object).map { (resource["resource"]?.object, $0) }
        }
    }

    fileprivate static func attributes(_ owner: JSONObject?) -> [String: String] {
        var attributes: [String: String] = [:]
        for attribute in (owner?["attributes"]?.array ?? []).compactMap(\.object) {
            let value = attribute["value"]?.object
            attributes[attribute["key"]?.string ?? ""] =
                value?["stringValue"]?.string ?? value?["intValue"]?.string
        }
        return attributes
    }
}

extension Collector.Span {
    fileprivate init?(_ span: JSONObject, service: String?) {
        guard let name = span["name"]?.string, let traceId = span["traceId"]?.string,
            let spanId = span["spanId"]?.string, let start = span["startTimeUnixNano"]?.string.flatMap({ UInt64($0) }),
            let end = span["endTimeUnixNano"]?.string.flatMap({ UInt64($0) })
        else { return nil }
        self.init(
            name: name, kind: span["kind"]?.integer, traceId: traceId, spanId: spanId,
            parentSpanId: span["parentSpanId"]?.string, isError: span["status"]?.object?["code"]?.integer == 2,
            attributes: Collector.attributes(span), start: start, end: end, service: service)
    }
}
