package import AppStoreModel
package import AppStoreServerAPI
package import AppStoreVerification
internal import EntitlementRules
internal import JSON

/// Apple's answer about one subscription.
package enum StatusAnswer: Sendable {
    /// Verified, with the status of the moment and the transaction that gives access now; nil while none has begun.
    case signed(VerifiedTransaction, status: SubscriptionStatus, current: TransactionId?)
    /// Apple knows no such subscription of the app. It settles nothing.
    case unknown
    /// Not Apple's, or not of the subscription: nothing is made of it.
    case refused(SubscriptionStatuses.RefusedItem)

    /// How what is published differs; nil where both say the same, and for what was refused.
    package func difference(of published: PublishedSubscription) -> StatusDifference? {
        switch self {
        case .signed(_, let status, let current): StatusDifference(published, status: status, latest: current)
        case .unknown: StatusDifference(published, status: nil, latest: nil)
        case .refused: nil
        }
    }

    /// A record of the entitlement topic with what Apple signed: it counts as a confirmation of what version 1
    /// notifications said up to that record, and competes with other signed facts by its dates.
    ///
    /// - Parameter published: value of the record that was known when Apple was asked.
    /// - Returns: nil where the answer says nothing that is not known, and for what is not signed.
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
        else { throw Unusable(message: "the answer is about another purchase") }
        answer.settleLegacy(before.answeredLegacyIds)
        var facts = before
        guard facts.merge(answer).isChanged else { return nil }
        do {
            return try facts.contributed(to: published)
        } catch {
            throw Unusable(message: "the published record cannot be read: \(error.code.rawValue)")
        }
    }

    /// An answer that cannot be used although Apple signed it.
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
            throw Unusable(message: "the answer is no transaction")
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
        else { throw Unusable(message: "the answer names no purchase, or none with bounded identifiers") }
        return facts
    }
}
