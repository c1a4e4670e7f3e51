internal import Configuration
internal import HTTPClient
package import RefundRules
internal import SignedRequests
internal import Telemetry
internal import Time

/// The company's service, as decisions ask it.
protocol RefundProvider: Sendable {
    /// One attempt.
    func consumption(of facts: RefundFacts) async throws(ProviderFailure) -> ConsumptionFacts
}

/// The company's own service, which knows consent and consumption: each case is posted to it, signed as Standard Webhooks
/// asks, and its answer is read strictly.
///
/// One call is one attempt. The caller keeps the answer with the case.
package struct ConsumptionProvider: RefundProvider {
    let url: String
    let timeout: Duration
    let keys: ReloadedFile<SigningKeys>
    let client: HTTPClient
    let clocks: Clocks
    let log: RateLimitedLogger?

    /// One attempt.
    ///
    /// - Throws: ``ProviderFailure``.
    package func consumption(of facts: RefundFacts) async throws(ProviderFailure) -> ConsumptionFacts {
        let request = ProviderRequest(facts)
        let headers = try headers(request)
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                HTTPClientRequest(
                    method: "POST", url: url, headers: headers, body: request.body, timeout: timeout,
                    connectTimeout: timeout, maximumBodyBytes: ConsumptionFacts.maximumAnswerBytes))
        } catch {
            throw ProviderFailure(error)
        }
        if let failure = ProviderFailure(status: response.status) { throw failure }
        do throws(RefundInputError) {
            let answer = try ConsumptionFacts.answer(response.body, name: ProviderName.answer)
            if !answer.unknownMembers.isEmpty {
                log?.log(
                    .warning, key: "provider.members", "the company's service answered with unknown members",
                    [LogField(.members, answer.unknownMembers.joined(separator: ", "))])
            }
            return answer.facts
        } catch {
            throw ProviderFailure(error, status: response.status)
        }
    }

    private func headers(_ request: ProviderRequest) throws(ProviderFailure) -> [(name: String, value: String)] {
        let (keys, change) = keys.current(now: clocks.monotonicNanoseconds())
        report(change)
        // Receivers refuse a timestamp that is minutes old, so it is the attempt's.
        let timestamp = clocks.wallMilliseconds() / 1000
        let signed: [(name: String, value: String)]
        do {
            signed = try keys.headers(id: request.id, timestamp: timestamp, body: request.body)
        } catch {
            throw ProviderFailure(code: .failed, message: "the request cannot be signed: \(error)")
        }
        return signed + [
            (ProviderHeader.contentType, "application/json"), (ProviderHeader.accept, "application/json"),
            // Some firewalls refuse requests that have none.
            (ProviderHeader.userAgent, "sluice-refunds/\(Build.version)"),
        ]
    }

    private func report(_ change: ReloadedFile<SigningKeys>.Change?) {
        switch change {
        case .read:
            log?.log(.info, key: "provider.keys", "keys were read again", [LogField(.path, keys.path)])
        case .refused(let problem):
            log?.log(
                .error, key: "provider.keys", "keys stay as they were",
                [LogField(.path, keys.path), LogField(.error, problem.message)])
        case nil: break
        }
    }
}
