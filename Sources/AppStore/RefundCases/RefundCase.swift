package import AppStoreModel
package import JSON

/// Everything that is known of the refund of one transaction: Apple's requests, the answer, and what came of it.
///
/// A join: cases of one key are merged in any order and number with the same result, so a record that comes again, late
/// or out of order changes nothing that it should not.
package struct RefundCase: Hashable, Sendable {
    package let environment: AppStoreEnvironment
    package let bundleId: BundleId
    /// Of the refunded transaction. For a withdrawn consent, which names no transaction, the appTransactionId.
    package let transactionId: TransactionId

    package var transaction: RefundTransaction?
    package private(set) var requests: [NotificationUUID: RefundRequest] = [:]
    /// The proposal that stands.
    package var answer: FrozenAnswer?
    package var acceptance: AnswerAcceptance?
    package var end: AnswerEnd?
    package var failure: AnswerFailure?
    package var granted: RefundVerdict?
    package var declined: RefundVerdict?
    package var reversed: RefundVerdict?
    /// When the consent of the customer was withdrawn last (RESCIND_CONSENT).
    package var consentRescindedAt: AppStoreInstant?
    /// Members that a later version wrote, as they came.
    package var unknownFields = JSONObject()

    package init(environment: AppStoreEnvironment, bundleId: BundleId, transactionId: TransactionId) {
        self.environment = environment
        self.bundleId = bundleId
        self.transactionId = transactionId
    }

    /// Requests that are kept: Apple repeats one a few times.
    static let maximumRequests = 64
    /// What `trust` says of what only a shared secret vouched for.
    static let sharedSecret = "shared-secret"

    package mutating func insert(_ request: RefundRequest) {
        requests[request.notificationUUID] = .later(requests[request.notificationUUID], request)
        guard requests.count > Self.maximumRequests else { return }
        // The newest ones: the greatest of a union are the greatest of the greatest.
        let newest = requests.values.sorted {
            $0.signedDate != $1.signedDate
                ? $0.signedDate > $1.signedDate : $0.notificationUUID < $1.notificationUUID
        }
        requests = Dictionary(
            uniqueKeysWithValues: newest.prefix(Self.maximumRequests).map { ($0.notificationUUID, $0) })
    }

    /// Adds what another value of the same key knows.
    ///
    /// - Returns: whether that changed anything.
    @discardableResult
    package mutating func merge(_ other: RefundCase) -> Bool {
        let before = self
        transaction = .later(transaction, other.transaction)
        for request in other.requests.values { insert(request) }
        answer = .later(answer, other.answer)
        acceptance = .later(acceptance, other.acceptance)
        end = .later(end, other.end)
        failure = .later(failure, other.failure)
        granted = .later(granted, other.granted)
        declined = .later(declined, other.declined)
        reversed = .later(reversed, other.reversed)
        if let moment = other.consentRescindedAt { consentRescindedAt = max(consentRescindedAt ?? moment, moment) }
        for member in other.unknownFields.members where unknownFields[member.name] == nil {
            unknownFields[member.name] = member.value
        }
        return self != before
    }

    /// Whether every text may be part of keys and URLs.
    package var isBounded: Bool {
        transactionId.isBounded && (transaction?.isBounded ?? true)
            && requests.values.allSatisfy {
                $0.notificationUUID.isBounded && ($0.reason.map { BoundedText.accepts($0.rawValue) } ?? true)
            }
    }
}
