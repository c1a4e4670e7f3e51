internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import RefundRules

/// The part of the App Store Server API used for refunds.
protocol RefundAPI: Sendable {
    /// Sends a consumption answer (Send Consumption Information).
    ///
    /// - Parameters:
    ///   - form: the version of the body.
    ///   - isLast: whether the round's deadline is near.
    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIError)
    /// Fetches Apple's current signed data for a refund case's transaction (Get Transaction Info).
    func transaction(of refund: RefundCase) async throws(APIError) -> TransactionPayload
}

/// The implementation that uses Apple's API.
struct AppStoreRefundAPI: RefundAPI {
    let client: AppStoreServerClient

    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIError) {
        try await client.sendConsumption(
            body, form: form == 1 ? .v1 : .v2, for: refund.transactionId, of: refund.bundleId, in: refund.environment,
            priority: isLast ? .last : .urgent)
    }

    func transaction(of refund: RefundCase) async throws(APIError) -> TransactionPayload {
        let verified = try await client.getTransactionInfo(refund.transactionId, refund.scope)
        do {
            return try TransactionPayload(json: verified.transaction)
        } catch {
            throw APIError(kind: .unreadable, message: "the transaction cannot be read", isRetriable: false)
        }
    }
}

extension RefundCase {
    /// The app and environment, which determine the API key and the request budget.
    var scope: APIScope { APIScope(bundleId, in: environment) }
}

extension APIError {
    /// The value of the `outcome` label for an attempt.
    var outcome: AttemptOutcome {
        switch kind {
        case .noKey: .keyMissing
        case .unauthorized: .unauthorized
        case .rateLimited: .rateLimited
        default: isFinalForConsumption ? .refused : status == 404 ? .notFound : .unavailable
        }
    }

    /// The reason that is recorded when Apple refuses the answer and the round ends: Apple's error code or the HTTP
    /// status.
    var endReason: String {
        if let code { return "\(code.rawValue)" }
        return status.map { "http_\($0)" } ?? kind.rawValue
    }

    /// The obstacle that is recorded for a round that has to wait after this failure.
    var obstacle: RefundObstacle {
        let reason: String
        switch kind {
        case .noKey: reason = RefundReason.keyMissing
        case .unauthorized: reason = RefundReason.apiUnauthorized
        case .rateLimited: reason = RefundReason.apiRateLimited
        case .refused: reason = status == 404 ? RefundReason.apiNotFound : RefundReason.apiRefused
        case .invalidRequest, .noAnswer, .cancelled, .server, .unreadable, .unverified:
            reason = RefundReason.apiUnavailable
        }
        return RefundObstacle(reason, "\(self)", status: status.map { Int32(clamping: $0) })
    }
}

/// The reason why a round is waiting. The round needs either an intervention or more time.
struct RefundObstacle: Hashable, Sendable {
    /// A code from ``RefundReason``.
    let reason: String
    /// A one-line message for people.
    let message: String
    /// The HTTP status, or nil if there was no request or no response.
    let status: Int32?

    init(_ reason: String, _ message: String, status: Int32? = nil) {
        self.reason = reason
        self.message = message
        self.status = status
    }
}
