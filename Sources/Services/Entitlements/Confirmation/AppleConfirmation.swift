internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import EntitlementRules

/// What Apple signs about a purchase that version 1 notifications told of.
struct AppleConfirmation: Sendable {
    /// Signed facts of the purchase.
    private(set) var facts: [PurchaseFacts] = []
    /// Whether the answer has the purchase that was asked about. One without it settles nothing.
    private(set) var isAnswered = false
    /// Apple does not know a transaction that was named, or it belongs to another purchase. A new one is known to the API
    /// some seconds or minutes after its notification, so that this refutes nothing.
    private(set) var hasUnknown = false

    /// An answer that cannot be used for the purchase, although Apple signed it.
    struct Unusable: Error {
        let message: String
    }

    /// Asks: for a subscription Get All Subscription Statuses, for another purchase Get Transaction Info.
    ///
    /// The statuses have the newest transaction of each subscription only: about each other transaction that is told to be
    /// bought or cancelled Apple is asked too.
    ///
    /// - Throws: ``APIFailure`` where Apple did not answer, ``Unusable`` where the answer cannot be used.
    init(
        of purchase: PurchaseFacts, _ question: LegacyQuestion, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws {
        var wanted = question.transactions
        if purchase.isSubscriptionByAnyone {
            let latest = try await addSubscription(purchase, client, scope)
            if let latest { wanted.removeAll { latest.transactions[$0] != nil } }
        }
        // A purchase that is no subscription has the id of its transaction.
        if wanted.isEmpty, !isAnswered { wanted = [TransactionId(purchase.originalTransactionId.rawValue)] }
        var isKnown = true
        for id in wanted {
            let isFound = try await addTransaction(id, of: purchase, client, scope)
            isKnown = isKnown && isFound
        }
        let isOneTime = !facts.isEmpty && facts.allSatisfy { !$0.isSubscription }
        if isOneTime, isKnown { isAnswered = true }
        if !isKnown || !isAnswered { hasUnknown = true }
    }

    /// - Returns: the newest facts of the subscription; nil where Apple does not name it.
    private mutating func addSubscription(
        _ purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws -> PurchaseFacts? {
        let statuses: SubscriptionStatuses
        do throws(APIFailure) {
            statuses = try await client.getAllSubscriptionStatuses(
                AnyTransactionId(purchase.originalTransactionId), scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            hasUnknown = true
            return nil
        }
        var latest: PurchaseFacts?
        for subscription in statuses.groups.flatMap(\.subscriptions) {
            let found = try Self.facts(of: subscription.latest, status: subscription.status)
            if found.originalTransactionId == purchase.originalTransactionId { latest = found }
        }
        guard let latest else {
            // What is refused may be the very subscription.
            if let refused = statuses.refused.first { throw Unusable(message: "\(refused)") }
            return nil
        }
        facts.append(latest)
        isAnswered = true
        return latest
    }

    /// - Returns: whether Apple knows it as a transaction of the purchase.
    private mutating func addTransaction(
        _ id: TransactionId, of purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws -> Bool {
        let verified: VerifiedTransaction
        do throws(APIFailure) {
            verified = try await client.getTransactionInfo(id, scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            return false
        }
        let found = try Self.facts(of: verified, status: nil)
        // Somebody else's transaction proves nothing of this purchase.
        guard found.originalTransactionId == purchase.originalTransactionId else { return false }
        facts.append(found)
        return true
    }

    private static func facts(
        of verified: VerifiedTransaction, status: SubscriptionStatus?
    ) throws(Unusable) -> PurchaseFacts {
        do throws(Refusal) {
            return try TransactionUpload.facts(of: verified, status: status)
        } catch {
            throw Unusable(message: error.message)
        }
    }
}

extension PurchaseFacts {
    /// Whether signed facts or version 1 notifications say that it renews by itself.
    fileprivate var isSubscriptionByAnyone: Bool {
        let unsigned = legacy?.allTransactions ?? []
        if isSubscription || unsigned.contains(where: \.isAutoRenewable) { return true }
        return transactions.isEmpty && unsigned.isEmpty
    }
}
