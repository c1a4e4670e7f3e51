// The implications of a failure for the request and the API.
extension APIError {
    /// Whether the failure is specific to this request: the same request would fail again, while others may succeed.
    package var isRefusal: Bool {
        switch kind {
        case .invalidRequest, .unverified: true
        // Apple's refusals have a code or status 400. Any other 4xx may come from an intermediary.
        case .refused: !isRetriable && (code != nil || status == 400)
        case .noKey, .noAnswer, .cancelled, .unauthorized, .rateLimited, .server, .unreadable: false
        }
    }

    /// Whether Send Consumption Information can never succeed with this answer: Apple refuses its body or this kind of
    /// transaction, or the request was refused before it was sent. No other failure is final, not even a 404, because
    /// Apple itself signed the ID. Source: app-store.md 10.6.
    package var isFinalForConsumption: Bool {
        if kind == .invalidRequest { return true }
        guard kind == .refused, status == 400, let code else { return false }
        return APIErrorCode.ofRefusedConsumption.contains(code) || code.isOfRefusedRequest && !code.isKnown
    }

    /// Whether the app has no such transaction in this environment, or the identifier is invalid.
    package var saysNoSuchTransaction: Bool {
        kind == .invalidRequest || code.map { !isRetriable && APIErrorCode.ofMissingTransactions.contains($0) } ?? false
    }
}

extension APIErrorCode {
    fileprivate static let ofMissingTransactions: Set<APIErrorCode> = [
        .invalidTransactionId, .invalidOriginalTransactionId, .accountNotFound, .originalTransactionIdNotFound,
        .transactionIdNotFound,
    ]
}

extension APIErrorCode {
    /// Whether the number begins with 400, as do all codes that Apple returns with status 400.
    fileprivate var isOfRefusedRequest: Bool { (4_000_000...4_009_999).contains(rawValue) }

    /// The codes for a refused body or kind of transaction. Codes that Apple adds later are not included.
    fileprivate static let ofRefusedConsumption: Set<APIErrorCode> = Set(
        (Array(4_000_032...4_000_042) + [4_000_006, 4_000_044, 4_000_047, 4_000_048, 4_000_185, 4_000_209, 4_000_227])
            .map { APIErrorCode(Int64($0)) })
}

extension ServiceHealth {
    /// Derives the endpoint's health from a failed Send Consumption Information request. If Apple refused the body or
    /// the kind of transaction, the endpoint works. A cancellation or an unknown transaction proves nothing; any other
    /// failure counts against the endpoint.
    package init(ofConsumption failure: APIError) {
        if failure.kind == .cancelled || failure.code == .transactionIdNotFound {
            self = .unknown
        } else {
            self = failure.isFinalForConsumption ? .answers : .fails(retryAt: failure.retryAt)
        }
    }

    /// Derives the service's health from a failure. A refusal proves that the service works.
    package init(_ failure: APIError) {
        if failure.kind == .cancelled {
            self = .unknown
        } else {
            self = failure.isRefusal ? .answers : .fails(retryAt: failure.retryAt)
        }
    }
}
