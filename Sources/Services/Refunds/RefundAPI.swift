internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import RefundCases

/// What refunds ask of the App Store Server API.
struct RefundAPI: Sendable {
    let client: AppStoreServerClient

    /// - Parameters:
    ///   - form: version of the body.
    ///   - isLast: the time of the case is nearly over.
    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIFailure) {
        try await client.sendConsumption(
            body, form: form == 1 ? .v1 : .v2, for: refund.transactionId, of: refund.bundleId, in: refund.environment,
            priority: isLast ? .last : .urgent)
    }

    /// The transaction of a case as Apple signs it now.
    func transaction(of refund: RefundCase) async throws(APIFailure) -> TransactionPayload {
        let verified = try await client.getTransactionInfo(refund.transactionId, refund.scope)
        do {
            return try TransactionPayload(json: verified.transaction)
        } catch {
            throw APIFailure(kind: .unreadable, message: "the transaction cannot be read", isRetriable: false)
        }
    }

    /// Whether the API answers for an app.
    func probe(_ scope: APIScope) async -> ServiceHealth {
        guard let failure = await client.probe(scope) else { return .answers }
        return ServiceHealth(failure)
    }
}

extension RefundCase {
    /// For whom the API is asked.
    var scope: APIScope { APIScope(bundleId, in: environment) }
}

extension AttemptOutcome {
    init(_ failure: APIFailure) {
        switch failure.kind {
        case .unauthorized, .noKey: self = .unauthorized
        case .rateLimited: self = .rateLimited
        default: self = failure.isRefusal ? .refused : .unavailable
        }
    }
}

extension APIFailure {
    /// As recorded in a case: Apple's code, or the status.
    var reason: String {
        if let code { return "\(code.rawValue)" }
        return status.map { "http_\($0)" } ?? kind.rawValue
    }
}
