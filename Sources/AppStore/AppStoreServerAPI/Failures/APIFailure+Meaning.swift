// What a failure says about the request, and about the API.
extension APIFailure {
    /// Whether this very request was refused: the same one fails again, and others may go through.
    package var isRefusal: Bool {
        switch kind {
        case .invalidRequest, .unverified: true
        // What Apple refuses has a code, or is 400; another 4xx may come from what is in between.
        case .refused: !isRetriable && (code != nil || status == 400)
        case .noKey, .noAnswer, .cancelled, .unauthorized, .rateLimited, .server, .unreadable: false
        }
    }

    /// Whether Apple refuses this body, or this kind of transaction, for Send Consumption Information: the same answer is
    /// refused again. Everything else says nothing about the answer, also a 404: the id was signed by Apple. Source:
    /// app-store.md 10.6.
    package var isFinalForConsumption: Bool {
        if kind == .invalidRequest { return true }
        guard kind == .refused, status == 400, let code else { return false }
        return APIErrorCode.ofRefusedConsumption.contains(code) || code.isOfRefusedRequest && !code.isKnown
    }

    /// Whether Apple says that there is no such transaction of the app in this environment, or that what names it could
    /// not be one.
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
    /// Whether the first three digits are those of status 400, as of every code that Apple answers with it.
    fileprivate var isOfRefusedRequest: Bool { (4_000_000...4_009_999).contains(rawValue) }

    /// Codes about the body or the kind of transaction. Later ones are not known here.
    fileprivate static let ofRefusedConsumption: Set<APIErrorCode> = Set(
        (Array(4_000_032...4_000_042) + [4_000_006, 4_000_044, 4_000_047, 4_000_048, 4_000_185, 4_000_209, 4_000_227])
            .map { APIErrorCode(Int64($0)) })
}

extension ServiceHealth {
    /// A failure of Send Consumption Information: only an answer about the body shows that the endpoint works.
    package init(ofConsumption failure: APIFailure) {
        if failure.kind == .cancelled || failure.code == .transactionIdNotFound {
            self = .unknown
        } else {
            self = failure.isFinalForConsumption ? .answers : .fails(retryAt: failure.retryAt)
        }
    }

    /// What is refused was looked at.
    package init(_ failure: APIFailure) {
        if failure.kind == .cancelled {
            self = .unknown
        } else {
            self = failure.isRefusal ? .answers : .fails(retryAt: failure.retryAt)
        }
    }
}
