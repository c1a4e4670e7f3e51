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

extension ServiceHealth {
    /// What is refused was looked at.
    package init(_ failure: APIFailure) {
        if failure.kind == .cancelled {
            self = .unknown
        } else {
            self = failure.isRefusal ? .answers : .fails(retryAt: failure.retryAt)
        }
    }
}
