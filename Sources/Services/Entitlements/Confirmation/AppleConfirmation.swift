internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import EntitlementRules

/// Apple's signed statements about a purchase named in version 1 notifications.
struct AppleConfirmation: Sendable {
    /// Signed facts about the purchase.
    private(set) var facts: [PurchaseFacts] = []
    /// Whether the answer contains the requested purchase. If it does not, nothing is confirmed.
    private(set) var isAnswered = false
    /// Whether one of the transactions is unknown to Apple or belongs to another purchase. This does not refute the
    /// notification, because a new transaction reaches the API only seconds or minutes after its notification.
    private(set) var hasUnknown = false

    /// An answer signed by Apple that cannot be used for the purchase.
    struct Unusable: Error {
        let message: String
    }

    /// Queries Apple: Get All Subscription Statuses for a subscription, Get Transaction Info for any other purchase.
    ///
    /// The statuses contain only the newest transaction of each subscription, so all other transactions reported as
    /// bought or cancelled are queried separately.
    ///
    /// - Throws: ``APIError`` if Apple did not answer, or ``Unusable`` if the answer cannot be used.
    init(
        of purchase: PurchaseFacts, _ question: LegacyQuestion, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws {
        var wanted = question.transactions
        if purchase.isSubscriptionByAnyone {
            let latest = try await addSubscription(purchase, client, scope)
            if let latest { wanted.removeAll { latest.transactions[$0] != nil } }
        }
        // The originalTransactionId of a one-time purchase is also its transactionId.
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

    /// - Returns: the newest facts about the subscription, or nil if the answer does not contain it.
    private mutating func addSubscription(
        _ purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws -> PurchaseFacts? {
        let statuses: SubscriptionStatuses
        do throws(APIError) {
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
            // The transaction that failed verification may be the one missing from this subscription.
            if let refused = statuses.refused.first { throw Unusable(message: "\(refused)") }
            return nil
        }
        facts.append(latest)
        isAnswered = true
        return latest
    }

    /// - Returns: whether Apple recognizes the transaction as part of the purchase.
    private mutating func addTransaction(
        _ id: TransactionId, of purchase: PurchaseFacts, _ client: AppStoreServerClient, _ scope: APIScope
    ) async throws -> Bool {
        let verified: VerifiedTransaction
        do throws(APIError) {
            verified = try await client.getTransactionInfo(id, scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            return false
        }
        let found = try Self.facts(of: verified, status: nil)
        // A transaction for another purchase proves nothing about this one.
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
    /// Whether the purchase is an auto-renewable subscription according to signed facts or version 1 notifications, or
    /// has no known transactions.
    fileprivate var isSubscriptionByAnyone: Bool {
        let unsigned = legacy?.allTransactions ?? []
        if isSubscription || unsigned.contains(where: \.isAutoRenewable) { return true }
        return transactions.isEmpty && unsigned.isEmpty
    }
}
