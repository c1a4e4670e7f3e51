internal import Configuration
internal import HTTPClient
internal import Primitives
internal import SignedRequests
internal import Telemetry
internal import Tracing

/// Posts signed messages to the receiver. Each call is one attempt.
struct WebhookSender: Sendable {
    /// The maximum length of a response in bytes. A longer response is discarded and counts as a failure.
    static let maximumAnswerBytes = 256 * 1024

    let settings: WebhooksConfiguration
    let client: HTTPClient
    let clocks: Clocks
    private let log: RateLimitedLogger?

    /// - Parameter log: the logger for key reloads.
    init(_ settings: WebhooksConfiguration, client: HTTPClient, clocks: Clocks = .system, log: RateLimitedLogger? = nil)
    {
        self.settings = settings
        self.client = client
        self.clocks = clocks
        self.log = log
    }

    /// Makes one attempt.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or an error from the system's cryptography.
    func send(_ message: WebhookMessage) async throws -> DeliveryAttempt {
        // Receivers reject timestamps that are minutes old, so each attempt has a new one.
        let moment = clocks.wallMilliseconds()
        let timestamp = moment / 1000
        let start = clocks.monotonicNanoseconds()
        let answer: ReceiverAnswer
        let span = TraceScope.current?.span?.child("POST", .client)
        let headers = try headers(message, timestamp, traceParent: span?.context.text ?? message.traceParent)
        do throws(HTTPClientError) {
            let response = try await client.send(
                HTTPClientRequest(
                    method: "POST", url: settings.url, headers: headers, body: message.body, timeout: settings.timeout,
                    connectTimeout: settings.timeout, maximumBodyBytes: Self.maximumAnswerBytes))
            if let span { endSpan(span, message, response) }
            answer = ReceiverAnswer(response, now: timestamp)
        } catch {
            if let span { endSpan(span, message, error) }
            // Either code means that the task was cancelled.
            if error.code == .cancelled || error.code == .closed { throw CancellationError() }
            answer = ReceiverAnswer(error)
        }
        return DeliveryAttempt(
            id: message.id, type: message.type, bytes: message.body.count, at: moment,
            nanoseconds: clocks.monotonicNanoseconds() &- start, answer: answer)
    }

    func headers(
        _ message: WebhookMessage, _ timestamp: Int64, traceParent: String? = nil
    ) throws -> [(name: String, value: String)] {
        var headers = try keys().headers(id: message.id, timestamp: timestamp, body: message.body)
        headers += [
            (name: WebhooksHeader.contentType, value: "application/json"),
            // Some firewalls reject requests without a User-Agent.
            (name: WebhooksHeader.userAgent, value: "sluice-webhooks/\(Build.version)"),
        ]
        if let traceParent {
            headers.append((name: WebhooksHeader.traceParent, value: traceParent))
        }
        return headers
    }

    /// Returns the current keys in the file.
    private func keys() -> SigningKeys {
        let (keys, change) = settings.keys.current(now: clocks.monotonicNanoseconds())
        switch change {
        case nil: break
        case .read?: log?.log(.info, key: "keys", "keys reloaded", [LogField(.path, settings.keys.path)])
        case .refused(let problem)?:
            log?.log(
                .error, key: "keys", "failed to reload the keys; keeping the previous keys",
                [LogField(.path, settings.keys.path), LogField(.error, problem.message)])
        }
        return keys
    }
}
