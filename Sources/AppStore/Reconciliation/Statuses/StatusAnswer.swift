package import AppStoreModel
package import AppStoreServerAPI
package import AppStoreVerification
internal import EntitlementRules
internal import JSON

/// Apple's answer to a status query for one subscription.
package enum StatusAnswer: Sendable {
    /// A verified answer, with the current status and the transaction that currently grants access. The transaction is
    /// nil if its period has not begun.
    case signed(VerifiedTransaction, status: SubscriptionStatus, current: TransactionId?)
    /// Apple has no such subscription for this app. This does not prove that the subscription has ended, so nothing is
    /// published.
    case unknown
    /// The answer is ignored, because it was not signed by Apple or is about a different subscription.
    case refused(SubscriptionStatuses.RefusedItem)

    /// Returns the difference between the answer and the published state, or nil if they agree or the answer was
    /// refused.
    package func difference(of published: PublishedSubscription) -> StatusDifference? {
        switch self {
        case .signed(_, let status, let current): StatusDifference(published, status: status, latest: current)
        case .unknown: StatusDifference(published, status: nil, latest: nil)
        case .refused: nil
        }
    }

    /// Returns an entitlement topic record that includes Apple's signed answer. The answer confirms the content of the
    /// version 1 notifications in `published`, and takes precedence over other signed facts with an earlier date.
    ///
    /// - Parameter published: the value of the record that was known when Apple was queried.
    /// - Returns: the value of the new record, or nil if the answer contains nothing new or is not signed.
    /// - Throws: ``Unusable``.
    package func contribution(to published: [UInt8]) throws(Unusable) -> [UInt8]? {
        guard case .signed(let verified, let status, _) = self else { return nil }
        let before: PurchaseFacts
        do {
            before = try PurchaseFacts(published: published)
        } catch {
            throw Unusable(message: "the published record cannot be read: \(error.code.rawValue)")
        }
        var answer = try Self.facts(of: verified, status: status)
        guard answer.originalTransactionId == before.originalTransactionId, answer.bundleId == before.bundleId,
            answer.environment == before.environment
        else { throw Unusable(message: "the response is about a different purchase") }
        answer.settleLegacy(before.answeredLegacyIds)
        var facts = before
        guard facts.merge(answer).isChanged else { return nil }
        do {
            return try facts.contributed(to: published)
        } catch {
            throw Unusable(message: "the published record cannot be read: \(error.code.rawValue)")
        }
    }

    /// A signed answer that cannot be used.
    package struct Unusable: Error {
        package let message: String
    }

    private static func facts(
        of verified: VerifiedTransaction, status: SubscriptionStatus
    ) throws(Unusable) -> PurchaseFacts {
        let payloads: (TransactionPayload, RenewalInfoPayload?)
        do {
            payloads = (
                try TransactionPayload(json: verified.transaction),
                try verified.renewalInfo.map { try RenewalInfoPayload(json: $0) }
            )
        } catch {
            throw Unusable(message: "the transaction or renewal info in the response cannot be read")
        }
        let (transaction, renewalInfo) = payloads
        if let problem = DecisiveFields.problem(
            in: transaction.fieldProblems + (renewalInfo?.fieldProblems ?? []))
        {
            throw Unusable(message: problem)
        }
        guard
            let facts = PurchaseFacts(
                environment: verified.environment, bundleId: verified.bundleId, transaction: transaction,
                renewalInfo: renewalInfo, status: status), facts.hasBoundedIdentifiers
        else { throw Unusable(message: "the response names no purchase, or its identifiers are too long") }
        return facts
    }
}
