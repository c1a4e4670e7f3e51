internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import RefundCases

/// What refunds ask of the App Store Server API.
struct RefundAPI: Sendable {
    /// Sends consumption information: body, version of its form, case, and whether its time is nearly over.
    var send: @Sendable ([UInt8], Int32, RefundCase, Bool) async throws(APIFailure) -> Void
    /// The transaction of a case as Apple signs it now.
    var transaction: @Sendable (RefundCase) async throws(APIFailure) -> TransactionPayload
}

extension RefundAPI {
    /// - Parameter client: for all apps.
    init(_ client: AppStoreServerClient) {
        send = { body, form, refund, isLast throws(APIFailure) in
            try await client.sendConsumption(
                body, form: form == 1 ? .v1 : .v2, for: refund.transactionId, of: refund.bundleId,
                in: refund.environment, priority: isLast ? .last : .urgent)
        }
        transaction = { refund throws(APIFailure) in
            let verified = try await client.getTransactionInfo(
                refund.transactionId, APIScope(refund.bundleId, in: refund.environment))
            do {
                return try TransactionPayload(json: verified.transaction)
            } catch {
                throw APIFailure(kind: .unreadable, message: "the transaction cannot be read", isRetriable: false)
            }
        }
    }
}

extension AttemptOutcome {
    init(_ failure: APIFailure) {
        switch failure.kind {
        case .unauthorized, .noKey: self = .unauthorized
        case .rateLimited: self = .rateLimited
        case .invalidRequest, .unverified: self = .refused
        // What Apple refuses has a code, or is 400; another 4xx may come from what is in between.
        case .refused:
            self = !failure.isRetriable && (failure.code != nil || failure.status == 400) ? .refused : .unavailable
        case .noAnswer, .cancelled, .server, .unreadable: self = .unavailable
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
