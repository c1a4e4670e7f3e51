internal import Configuration
internal import HTTPClient
internal import Primitives
package import RefundRules
internal import SignedRequests
internal import Telemetry

/// The company's service that provides facts for refund decisions.
protocol RefundProvider: Sendable {
    /// Makes one attempt.
    func consumption(of facts: RefundFacts) async throws(ProviderError) -> ConsumptionFacts
}

/// A client for the company's own service, which has consent and consumption data. Each case is sent in a POST request,
/// signed according to Standard Webhooks, and the answer is parsed strictly.
///
/// One call is one attempt. The caller stores the answer with the case.
package struct ConsumptionProvider: RefundProvider {
    let url: String
    let timeout: Duration
    let keys: ReloadedFile<SigningKeys>
    let client: HTTPClient
    let clocks: Clocks
    let log: RateLimitedLogger?

    /// Makes one attempt.
    ///
    /// - Throws: ``ProviderError``.
    package func consumption(of facts: RefundFacts) async throws(ProviderError) -> ConsumptionFacts {
        let request = ProviderRequest(facts)
        let headers = try headers(request)
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                HTTPClientRequest(
                    method: "POST", url: url, headers: headers, body: request.body, timeout: timeout,
                    connectTimeout: timeout, maximumBodyBytes: ConsumptionFacts.maximumAnswerBytes))
        } catch {
            throw ProviderError(error)
        }
        if let failure = ProviderError(status: response.status) { throw failure }
        do throws(RefundInputError) {
            let answer = try ConsumptionFacts.answer(response.body, name: ProviderName.answer)
            if !answer.unknownMembers.isEmpty {
                log?.log(
                    .warning, key: "provider.members", "the company's service responded with unknown members",
                    [LogField(.members, answer.unknownMembers.joined(separator: ", "))])
            }
            return answer.facts
        } catch {
            throw ProviderError(error, status: response.status)
        }
    }

    private func headers(_ request: ProviderRequest) throws(ProviderError) -> [(name: String, value: String)] {
        let (keys, change) = keys.current(now: clocks.monotonicNanoseconds())
        report(change)
        // Receivers reject timestamps that are minutes old, so each attempt has a new one.
        let timestamp = clocks.wallMilliseconds() / 1000
        let signed: [(name: String, value: String)]
        do {
            signed = try keys.headers(id: request.id, timestamp: timestamp, body: request.body)
        } catch {
            throw ProviderError(code: .failed, message: "failed to sign the request: \(error)")
        }
        return signed + [
            (ProviderHeader.contentType, "application/json"), (ProviderHeader.accept, "application/json"),
            // Some firewalls reject requests without a User-Agent.
            (ProviderHeader.userAgent, "sluice-refunds/\(Build.version)"),
        ]
    }

    private func report(_ change: ReloadedFile<SigningKeys>.Change?) {
        switch change {
        case .read:
            log?.log(.info, key: "provider.keys", "keys reloaded", [LogField(.path, keys.path)])
        case .refused(let problem):
            log?.log(
                .error, key: "provider.keys", "failed to reload the keys; keeping the previous keys",
                [LogField(.path, keys.path), LogField(.error, problem.message)])
        case nil: break
        }
    }
}
