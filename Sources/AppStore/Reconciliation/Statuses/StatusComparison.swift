internal import AppStoreModel
package import AppStoreServerAPI
internal import AppStoreVerification
internal import JSON
package import Time

/// Asks Apple for the status of a subscription, and compares what is published of it.
package struct StatusComparison: Sendable {
    private let client: AppStoreServerClient
    private let scope: APIScope
    private let clocks: Clocks

    package init(_ client: AppStoreServerClient, _ scope: APIScope, clocks: Clocks) {
        self.client = client
        self.scope = scope
        self.clocks = clocks
    }

    /// One request. Nil where both say the same.
    ///
    /// - Throws: ``APIFailure``, of kind `unverified` also where Apple's answer has objects that cannot be verified, and
    ///   the subscription may be one of them.
    package func difference(
        of subscription: PublishedSubscription
    ) async throws(APIFailure) -> StatusDifference? {
        let answer = try await answer(about: subscription)
        return StatusDifference(subscription, status: answer?.status, latest: answer?.latest)
    }

    /// Nil where Apple knows no such subscription.
    private func answer(
        about subscription: PublishedSubscription
    ) async throws(APIFailure) -> (status: SubscriptionStatus, latest: TransactionId?)? {
        let statuses: SubscriptionStatuses
        do throws(APIFailure) {
            statuses = try await client.getAllSubscriptionStatuses(
                AnyTransactionId(subscription.originalTransactionId), scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            return nil
        }
        for found in statuses.groups.flatMap(\.subscriptions) {
            guard let document = try? JSONDocument.object(found.latest.transaction) else { continue }
            let transaction = TransactionPayload(document.root)
            guard transaction.originalTransactionId == subscription.originalTransactionId else { continue }
            // Apple renews up to a day ahead; until it begins, the transaction before it is the current one.
            let hasBegun = (transaction.purchaseDate?.millisecondsSince1970 ?? 0) <= clocks.wallMilliseconds()
            return (found.status, hasBegun ? transaction.transactionId : nil)
        }
        if let refused = statuses.refused.first {
            throw APIFailure(
                kind: .unverified, status: 200, message: "a signed object in the answer is refused: \(refused)",
                isRetriable: refused.isRetriable, fix: "check apps, root.certificates and appstore.api.url")
        }
        return nil
    }
}
