internal import HTTPClient
internal import JSON
internal import Primitives

/// Posts one encoded request to a collector. Source: OpenTelemetry protocol specification 1.8, "OTLP/HTTP".
struct OTLPClient: Sendable {
    /// The result of one attempt.
    enum Outcome: Sendable, Equatable {
        /// The collector accepted the request except for this number of spans or data points.
        case accepted(rejected: Int64)
        /// The collector may accept the same request later. `after` is the time that it requests before a retry
        /// (`Retry-After`), in whole seconds. By the specification, a client should wait that long; ``SpanExport``
        /// limits the time, and metrics are exported with the next interval anyway.
        case retriable(reason: String, after: Duration?)
        case refused(reason: String)
        case cancelled
    }

    private static let maximumAnswerBytes = 64 * 1024

    let url: String
    let headers: [(name: String, value: String)]
    let timeout: Duration
    let client: HTTPClient

    /// - Parameter limit: a time limit shorter than `timeout`, or nil.
    func post(_ body: [UInt8], within limit: Duration? = nil) async -> Outcome {
        let timeout = min(timeout, limit ?? timeout)
        let request = HTTPClientRequest(
            method: "POST", url: url,
            headers: [(name: "Content-Type", value: "application/json"), (name: "User-Agent", value: "sluice-otlp")]
                + headers,
            body: body, timeout: timeout, connectTimeout: timeout, maximumBodyBytes: Self.maximumAnswerBytes)
        do throws(HTTPClientError) {
            return Self.outcome(try await client.send(request))
        } catch {
            if error.code == .cancelled || error.code == .closed { return .cancelled }
            // Safe to log: the message contains neither header fields nor the URL's path.
            return error.isRetriable ? .retriable(reason: error.message, after: nil) : .refused(reason: error.message)
        }
    }

    static func outcome(_ response: HTTPClientResponse) -> Outcome {
        switch response.status {
        case 200...299: .accepted(rejected: rejected(response.body))
        case 429, 502, 503, 504:
            .retriable(
                reason: "status \(response.status)",
                after: response.header("Retry-After").flatMap { UInt32($0) }.map { .seconds(Int64($0)) })
        default: .refused(reason: "status \(response.status)")
        }
    }

    /// Returns the number of rejected items in a partial success response.
    private static func rejected(_ body: [UInt8]) -> Int64 {
        guard let partial = try? JSONValue(json: body).object?["partialSuccess"]?.object else { return 0 }
        let number = partial["rejectedSpans"] ?? partial["rejectedDataPoints"]
        return max(0, number?.string.flatMap { Int64($0) } ?? number?.integer ?? 0)
    }
}
