internal import Configuration
internal import HTTPClient
internal import SignedRequests
internal import Telemetry
internal import Time

/// Posts messages to the receiver, signed: one attempt at a time for each call.
struct WebhookSender: Sendable {
    /// Longer answers are no answers: nothing of them is read.
    static let maximumAnswerBytes = 256 * 1024

    let plan: WebhooksPlan
    let client: HTTPClient
    let clocks: Clocks
    private let log: RateLimitedLogger?

    /// - Parameter log: tells when the keys were read again.
    init(_ plan: WebhooksPlan, client: HTTPClient, clocks: Clocks = .system, log: RateLimitedLogger? = nil) {
        self.plan = plan
        self.client = client
        self.clocks = clocks
        self.log = log
    }

    /// One attempt.
    ///
    /// - Throws: `CancellationError` when the work is cancelled, and what the system's cryptography throws.
    func send(_ message: WebhookMessage) async throws -> DeliveryAttempt {
        // Receivers refuse a timestamp that is minutes old, so it is the attempt's and not the record's.
        let moment = clocks.wallMilliseconds()
        let timestamp = moment / 1000
        let start = clocks.monotonicNanoseconds()
        let answer: ReceiverAnswer
        let headers = try headers(message, timestamp)
        do throws(HTTPClientError) {
            let response = try await client.send(
                HTTPClientRequest(
                    method: "POST", url: plan.url, headers: headers, body: message.body, timeout: plan.timeout,
                    connectTimeout: plan.timeout, maximumBodyBytes: Self.maximumAnswerBytes))
            answer = ReceiverAnswer(response, now: timestamp)
        } catch {
            // Either way this work was cancelled.
            if error.code == .cancelled || error.code == .closed { throw CancellationError() }
            answer = ReceiverAnswer(error)
        }
        return DeliveryAttempt(
            id: message.id, type: message.type, bytes: message.body.count, at: moment,
            nanoseconds: clocks.monotonicNanoseconds() &- start, answer: answer)
    }

    func headers(
        _ message: WebhookMessage, _ timestamp: Int64
    ) throws -> [(name: String, value: String)] {
        var headers = try keys().headers(id: message.id, timestamp: timestamp, body: message.body)
        headers += [
            (name: WebhooksHeader.contentType, value: "application/json"),
            // Some firewalls refuse requests that have none.
            (name: WebhooksHeader.userAgent, value: "sluice-webhooks/\(Build.version)"),
        ]
        if let traceParent = message.traceParent {
            headers.append((name: WebhooksHeader.traceParent, value: traceParent))
        }
        return headers
    }

    /// The keys as their file holds them now.
    private func keys() -> SigningKeys {
        let (keys, change) = plan.keys.current(now: clocks.monotonicNanoseconds())
        switch change {
        case nil: break
        case .read?: log?.log(.info, key: "keys", "keys were read again", [LogField(.path, plan.keys.path)])
        case .refused(let problem)?:
            log?.log(
                .error, key: "keys", "keys stay as they were",
                [LogField(.path, plan.keys.path), LogField(.error, problem.message)])
        }
        return keys
    }
}
