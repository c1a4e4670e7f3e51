internal import AppStoreModel
package import AppStoreServerAPI
internal import AppStoreVerification
internal import JSON
package import Primitives

/// Queries Apple for the status of a subscription and compares it with the published state.
package struct StatusComparison: Sendable {
    private let client: AppStoreServerClient
    private let scope: APIScope
    private let clocks: Clocks

    package init(_ client: AppStoreServerClient, _ scope: APIScope, clocks: Clocks) {
        self.client = client
        self.scope = scope
        self.clocks = clocks
    }

    /// Queries the status of a subscription with one request.
    ///
    /// - Throws: ``APIError``, with kind `unverified` if a signed object that may be about the subscription cannot be
    ///   verified yet.
    package func answer(about subscription: PublishedSubscription) async throws(APIError) -> StatusAnswer {
        let statuses: SubscriptionStatuses
        do throws(APIError) {
            statuses = try await client.getAllSubscriptionStatuses(
                AnyTransactionId(subscription.originalTransactionId), scope)
        } catch {
            guard error.saysNoSuchTransaction else { throw error }
            return .unknown
        }
        for found in statuses.groups.flatMap(\.subscriptions) {
            guard let document = try? JSONDocument.object(found.latest.transaction) else { continue }
            let transaction = TransactionPayload(document.root)
            guard transaction.originalTransactionId == subscription.originalTransactionId else { continue }
            // Apple renews up to a day early. Until the new period begins, the previous transaction is current.
            let hasBegun = (transaction.purchaseDate?.millisecondsSince1970 ?? 0) <= clocks.wallMilliseconds()
            return .signed(found.latest, status: found.status, current: hasBegun ? transaction.transactionId : nil)
        }
        guard let refused = refused(of: subscription, in: statuses.refusedItems) else { return .unknown }
        guard !refused.object.isRetriable else {
            throw APIError(
                kind: .unverified, status: 200,
                message: "a signed object in the response was rejected: \(refused.object)", isRetriable: true,
                fix: "check apps, root.certificates and appstore.api.url")
        }
        return .refused(refused)
    }

    /// Returns the refused object whose unsigned ID is the subscription's. If there is none, returns any refused
    /// object, preferably a retriable one, because the subject of a refused object is unknown until it is verified.
    /// Returns nil if no object was refused.
    private func refused(
        of subscription: PublishedSubscription, in items: [SubscriptionStatuses.RefusedItem]
    ) -> SubscriptionStatuses.RefusedItem? {
        items.first { $0.originalTransactionId == subscription.originalTransactionId }
            ?? items.first { $0.object.isRetriable } ?? items.first
    }
}
