internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import RefundCases

/// The App Store Server API as refunds use it.
protocol RefundAPI: Sendable {
    /// Send Consumption Information.
    ///
    /// - Parameters:
    ///   - form: version of the body.
    ///   - isLast: the time of the round is nearly over.
    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIFailure)
    /// The transaction of a case as Apple signs it now.
    func transaction(of refund: RefundCase) async throws(APIFailure) -> TransactionPayload
}

/// The real one.
struct AppStoreRefundAPI: RefundAPI {
    let client: AppStoreServerClient

    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIFailure) {
        try await client.sendConsumption(
            body, form: form == 1 ? .v1 : .v2, for: refund.transactionId, of: refund.bundleId, in: refund.environment,
            priority: isLast ? .last : .urgent)
    }

    func transaction(of refund: RefundCase) async throws(APIFailure) -> TransactionPayload {
        let verified = try await client.getTransactionInfo(refund.transactionId, refund.scope)
        do {
            return try TransactionPayload(json: verified.transaction)
        } catch {
            throw APIFailure(kind: .unreadable, message: "the transaction cannot be read", isRetriable: false)
        }
    }
}

extension RefundCase {
    /// App and environment, which a key and a budget belong to.
    var scope: APIScope { APIScope(bundleId, in: environment) }
}

extension APIFailure {
    /// The label `outcome` of an attempt.
    var outcome: AttemptOutcome {
        switch kind {
        case .noKey: .keyMissing
        case .unauthorized: .unauthorized
        case .rateLimited: .rateLimited
        default: isFinalForConsumption ? .refused : status == 404 ? .notFound : .unavailable
        }
    }

    /// The reason with which a round ends that Apple refuses: Apple's code, or the status.
    var endReason: String {
        if let code { return "\(code.rawValue)" }
        return status.map { "http_\($0)" } ?? kind.rawValue
    }

    /// Why a round waits after this.
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

/// Why a round waits: somebody can change it, or time does.
struct RefundObstacle: Hashable, Sendable {
    /// A code of ``RefundReason``.
    let reason: String
    /// One line for people.
    let message: String
    /// HTTP status; nil where there was no answer, or none was asked for.
    let status: Int32?

    init(_ reason: String, _ message: String, status: Int32? = nil) {
        self.reason = reason
        self.message = message
        self.status = status
    }
}
