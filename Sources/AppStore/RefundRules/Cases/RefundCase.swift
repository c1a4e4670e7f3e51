package import AppStoreModel
package import JSON

/// The refund of one transaction: Apple's requests, the answers, and Apple's decisions.
///
/// Merging is a join: merging cases with the same key in any order and any number of times gives the same result.
/// Duplicate, late or out-of-order records are therefore harmless. ``RefundRounds`` derives the rounds from the parts.
package struct RefundCase: Hashable, Sendable {
    package let environment: AppStoreEnvironment
    package let bundleId: BundleId
    /// The transaction that the requests and decisions concern. RESCIND_CONSENT contains no transaction, so its case is
    /// stored under the appTransactionId.
    package let transactionId: TransactionId

    package var transaction: RefundTransaction?
    package private(set) var requests: [NotificationUUID: RefundRequest] = [:]
    /// Answers recorded together with an end or an acceptance.
    package private(set) var answers = DatedParts<FrozenAnswer>()
    package private(set) var acceptances = DatedParts<AnswerAcceptance>()
    package private(set) var ends = DatedParts<AnswerEnd>()
    package private(set) var verdicts = DatedParts<RefundVerdict>()
    package var obstacle: AnswerObstacle?
    /// The time, on Apple's clock, when a parent or guardian last withdrew consent to the child's use of the app
    /// (RESCIND_CONSENT).
    package var consentRescindedAt: AppStoreInstant?
    /// The time of the last erasure of the person's data, taken from the header or the timestamp of the tombstone.
    package private(set) var erasedAt: AppStoreInstant?
    /// Unknown members from a later version, sorted by name and preserved when the case is written.
    package var unknownFields = JSONObject()

    package init(environment: AppStoreEnvironment, bundleId: BundleId, transactionId: TransactionId) {
        self.environment = environment
        self.bundleId = bundleId
        self.transactionId = transactionId
    }

    /// The maximum number of stored requests. Apple repeats a request only a few times.
    static let maximumRequests = 64
    /// The value of `trust` for parts authenticated only by a shared secret.
    static let sharedSecret = "shared-secret"

    package mutating func insert(_ request: RefundRequest) {
        requests[request.notificationUUID] = .greater(requests[request.notificationUUID], request)
        guard requests.count > Self.maximumRequests else { return }
        // Truncation commutes with union, because each of the newest requests in a union is among the newest requests
        // of the set it came from.
        let newest = requests.values.sorted {
            $0.signedDate != $1.signedDate
                ? $0.signedDate > $1.signedDate : $0.notificationUUID < $1.notificationUUID
        }
        requests = Dictionary(
            uniqueKeysWithValues: newest.prefix(Self.maximumRequests).map { ($0.notificationUUID, $0) })
    }

    package mutating func insert(_ answer: FrozenAnswer) {
        answers.insert(answer)
        strip()
    }

    package mutating func insert(_ acceptance: AnswerAcceptance) { acceptances.insert(acceptance) }
    package mutating func insert(_ end: AnswerEnd) { ends.insert(end) }
    package mutating func insert(_ verdict: RefundVerdict) { verdicts.insert(verdict) }

    /// Merges another case with the same key.
    ///
    /// - Returns: whether this case changed.
    @discardableResult
    package mutating func merge(_ other: RefundCase) -> Bool {
        let before = self
        transaction = .greater(transaction, other.transaction)
        for request in other.requests.values { insert(request) }
        answers.merge(other.answers)
        acceptances.merge(other.acceptances)
        ends.merge(other.ends)
        verdicts.merge(other.verdicts)
        obstacle = .greater(obstacle, other.obstacle)
        if let moment = other.consentRescindedAt { consentRescindedAt = max(consentRescindedAt ?? moment, moment) }
        if let moment = other.erasedAt { erasedAt = max(erasedAt ?? moment, moment) }
        if !other.unknownFields.isEmpty { unknownFields = unknownFields.union(other.unknownFields) }
        strip()
        return self != before
    }

    /// Whether all strings from Apple, except the bundleId, meet the requirements of ``BoundedText``.
    package var isBounded: Bool {
        transactionId.isBounded && (transaction?.isBounded ?? true) && verdicts.all.allSatisfy(\.isBounded)
            && requests.values.allSatisfy {
                $0.notificationUUID.isBounded && ($0.reason.map { BoundedText.accepts($0.rawValue) } ?? true)
            }
    }

    // MARK: Erasure

    /// Erases the personal data dated up to `moment`. The fact that an answer was sent and accepted remains stored, so
    /// that no request is answered twice.
    package mutating func erase(at moment: AppStoreInstant) {
        erasedAt = max(erasedAt ?? moment, moment)
        strip()
    }

    /// Returns whether the person's data was erased after the last request of a round. If so, nothing may be sent for
    /// that round.
    package func isErased(_ round: RefundRound) -> Bool { erasedAt.map { round.through <= $0 } ?? false }

    /// Erases parts up to the time of the erasure. The ranks of parts do not change, and parts that are erased at
    /// different times have different ranks, so it makes no difference whether parts are merged before or after.
    private mutating func strip() {
        guard let erasedAt else { return }
        if let known = transaction, known.signedDate <= erasedAt { transaction?.erase() }
        var kept = DatedParts<FrozenAnswer>()
        for var answer in answers.all {
            if answer.decidedAt <= erasedAt { answer.erase() }
            kept.insert(answer)
        }
        answers = kept
        if let moment = obstacle?.at, moment <= erasedAt { obstacle?.erase() }
    }

    /// Sets the parts parsed from the published form.
    mutating func setParts(
        answers: DatedParts<FrozenAnswer>, acceptances: DatedParts<AnswerAcceptance>, ends: DatedParts<AnswerEnd>,
        verdicts: DatedParts<RefundVerdict>, erasedAt: AppStoreInstant?
    ) {
        self.answers = answers
        self.acceptances = acceptances
        self.ends = ends
        self.verdicts = verdicts
        self.erasedAt = erasedAt
    }
}
