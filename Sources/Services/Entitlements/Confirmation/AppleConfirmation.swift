internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import EntitlementRules

/// What Apple signs about a purchase that version 1 notifications told of.
struct AppleConfirmation: Sendable {
    /// Signed facts of the purchase.
    private(set) var facts: [PurchaseFacts] = []
    /// A transaction that was named does not exist, or belongs to another purchase.
    private(set) var isRefuted = false

    /// An answer that cannot be used for the purchase, although Apple signed it.
    struct Unusable: Error {
        let message: String
    }

    /// Asks: for a subscription Get All Subscription Statuses, for another purchase Get Transaction Info.
    ///
    /// One request, but for a transaction that is told to be later than the latest that Apple knows: about that one Apple
    /// is asked too.
    ///
    /// - Throws: ``APIFailure`` where Apple did not answer, ``Unusable`` where the answer cannot be used.
    init(of purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope) async throws {
        if purchase.isSubscriptionByAnyone {
            try await addSubscription(purchase, client, scope)
        } else {
            for transaction in purchase.uncoveredTransactions {
                try await addTransaction(transaction.transactionId, of: purchase, client, scope)
            }
        }
    }

    private mutating func addSubscription(
        _ purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws {
        let statuses: SubscriptionStatuses
        do throws(APIFailure) {
            statuses = try await client.getAllSubscriptionStatuses(
                AnyTransactionId(purchase.originalTransactionId), scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            isRefuted = true
            return
        }
        var latest: PurchaseFacts?
        for subscription in statuses.groups.flatMap(\.subscriptions) {
            let found = try Self.facts(of: subscription.latest, status: subscription.status)
            if found.originalTransactionId == purchase.originalTransactionId { latest = found }
        }
        guard let latest else {
            // What is refused may be the very subscription.
            if let refused = statuses.refused.first { throw Unusable(message: "\(refused)") }
            isRefuted = true
            return
        }
        facts.append(latest)
        let newest = latest.orderedTransactions.last?.start ?? .earliest
        let later = purchase.unsignedTransactions.filter { unsigned in
            unsigned.start > newest && latest.transactions[unsigned.transactionId] == nil
        }
        guard let doubtful = later.max(by: { $0.start < $1.start }) else { return }
        try await addTransaction(doubtful.transactionId, of: purchase, client, scope)
    }

    private mutating func addTransaction(
        _ id: TransactionId, of purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws {
        let verified: VerifiedTransaction
        do throws(APIFailure) {
            verified = try await client.getTransactionInfo(id, scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            isRefuted = true
            return
        }
        let found = try Self.facts(of: verified, status: nil)
        // Somebody else's transaction proves nothing of this purchase.
        guard found.originalTransactionId == purchase.originalTransactionId else {
            isRefuted = true
            return
        }
        facts.append(found)
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
        let unsigned = legacy?.transactions.values ?? []
        if isSubscription || unsigned.contains(where: \.isAutoRenewable) { return true }
        return transactions.isEmpty && unsigned.isEmpty
    }
}
