package import AppStoreModel
package import AppStoreVerification

extension AppStoreServerClient {
    /// Get Transaction Info.
    ///
    /// - Throws: ``APIError``, with code `transactionIdNotFound` if the app has no such transaction in this
    ///   environment.
    package func getTransactionInfo(
        _ id: TransactionId, _ scope: APIScope
    ) async throws(APIError) -> VerifiedTransaction {
        let operation = APIOperation.getTransactionInfo
        let answer: TransactionInfoAnswer = try await answer(APIRequest(operation, id.rawValue), to: scope)
        do throws(RefusedObject) {
            return try verified(answer.signedTransactionInfo, operation, scope)
        } catch {
            throw APIError(error, in: operation)
        }
    }

    /// Get App Transaction Info.
    ///
    /// - Throws: ``APIError``.
    package func getAppTransactionInfo(
        _ id: AnyTransactionId, _ scope: APIScope
    ) async throws(APIError) -> VerifiedAppTransaction {
        let operation = APIOperation.getAppTransactionInfo
        let answer: AppTransactionInfoAnswer = try await answer(APIRequest(operation, id.rawValue), to: scope)
        do throws(RefusedObject) {
            return try verified(appTransaction: answer.signedAppTransactionInfo, operation, scope)
        } catch {
            throw APIError(error, in: operation)
        }
    }

    /// Get All Subscription Statuses for a customer.
    ///
    /// - Parameter statuses: the statuses of the entries to return; empty means all.
    /// - Throws: ``APIError``.
    package func getAllSubscriptionStatuses(
        _ id: AnyTransactionId, statuses: [SubscriptionStatus] = [], _ scope: APIScope
    ) async throws(APIError) -> SubscriptionStatuses {
        let operation = APIOperation.getAllSubscriptionStatuses
        let request = APIRequest(
            operation, id.rawValue, query: statuses.map { (name: "status", value: String($0.rawValue)) })
        let answer: SubscriptionStatusesAnswer = try await answer(request, to: scope)
        var refused: [SubscriptionStatuses.RefusedItem] = []
        let groups = answer.data.map { group in
            let subscriptions = group.lastTransactions.compactMap { item -> SubscriptionStatuses.Subscription? in
                do throws(RefusedObject) {
                    let latest = try verified(
                        item.signedTransactionInfo, renewalInfo: item.signedRenewalInfo, operation, scope)
                    return SubscriptionStatuses.Subscription(status: item.status, latest: latest)
                } catch {
                    refused.append(
                        SubscriptionStatuses.RefusedItem(
                            object: error, originalTransactionId: item.originalTransactionId,
                            bytes: item.bytes))
                    return nil
                }
            }
            return SubscriptionStatuses.Group(
                subscriptionGroupIdentifier: group.subscriptionGroupIdentifier, subscriptions: subscriptions)
        }
        return SubscriptionStatuses(groups: groups, refusedItems: refused)
    }

    /// Look Up Order ID.
    ///
    /// - Throws: ``APIError``. An order that belongs to a different app is not a failure; its status is `invalid`.
    package func lookUpOrderId(_ id: OrderId, _ scope: APIScope) async throws(APIError) -> OrderLookup {
        let operation = APIOperation.lookUpOrderId
        let answer: OrderLookupAnswer = try await answer(APIRequest(operation, id.rawValue), to: scope)
        let (transactions, refused) = verified(answer.signedTransactions, operation, scope)
        return OrderLookup(status: answer.status, transactions: transactions, refused: refused)
    }

    /// Set App Account Token: assigns an account in the developer's system to a purchase that was made without one.
    ///
    /// - Parameter id: a transaction. For a subscription, the token applies to all of its transactions.
    /// - Throws: ``APIError``.
    package func setAppAccountToken(
        _ token: AppAccountToken, of id: OriginalTransactionId, _ scope: APIScope
    ) async throws(APIError) {
        _ = try await send(.setAppAccountToken(token, of: id), to: scope)
    }

    /// Finish Transaction, on behalf of the app.
    ///
    /// - Throws: ``APIError``.
    package func finishTransaction(_ id: TransactionId, _ scope: APIScope) async throws(APIError) {
        _ = try await send(APIRequest(.finishTransaction, id.rawValue), to: scope)
    }
}
