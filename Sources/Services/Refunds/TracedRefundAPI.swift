internal import AppStoreModel
internal import AppStoreServerAPI
internal import RefundRules
internal import Tracing

/// Records the requests about a case in the trace of its last recorded change. If that trace is unknown, for example
/// after a restart, each request starts a new trace.
struct TracedRefundAPI: RefundAPI {
    let api: any RefundAPI
    let tracer: Tracer

    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIError) {
        try await recorded("answer refund request", refund) { () async throws(APIError) in
            try await api.send(body, form: form, for: refund, isLast: isLast)
        }
    }

    func transaction(of refund: RefundCase) async throws(APIError) -> TransactionPayload {
        try await recorded("read transaction", refund) { () async throws(APIError) in
            try await api.transaction(of: refund)
        }
    }

    private func recorded<Answer>(
        _ name: String, _ refund: RefundCase, _ body: () async throws(APIError) -> Answer
    ) async throws(APIError) -> Answer {
        let parent = tracer.recent.context(ofKey: RefundsModel.key(refund.bundleId, refund.transactionId))
        guard let span = tracer.start(name, .internal, parent: parent) else { return try await body() }
        let result: Result<Answer, APIError> = await TraceScope.$current.withValue(TraceScope(span)) {
            do throws(APIError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        let attributes = [SpanAttribute(.environment, refund.environment.rawValue)]
        if case .failure(let failure) = result {
            span.end(attributes, error: failure.kind.rawValue)
        } else {
            span.end(attributes)
        }
        return try result.get()
    }
}
