extension AppStoreServerClient {
    /// Get Transaction History (version 2) for a customer, page by page.
    ///
    /// - Parameter revision: a revision returned by an earlier request with the same query. Apple then returns the
    ///   changes since that request.
    package func getTransactionHistory(
        of id: AnyTransactionId, matching query: TransactionHistoryQuery = TransactionHistoryQuery(),
        revision: String? = nil, _ scope: APIScope
    ) -> Pages<TransactionPage> {
        transactionPages(.getTransactionHistory, from: revision, scope) { revision in
            .transactionHistory(of: id, query, revision: revision)
        }
    }

    /// Get Refund History (version 2) for a customer, page by page, oldest refund first.
    ///
    /// - Parameter revision: a revision returned by an earlier request. Apple then returns the changes since that
    ///   request.
    package func getRefundHistory(
        of id: AnyTransactionId, revision: String? = nil, _ scope: APIScope
    ) -> Pages<TransactionPage> {
        transactionPages(.getRefundHistory, from: revision, scope) { revision in
            .refundHistory(of: id, revision: revision)
        }
    }

    /// Get Notification History, page by page. When a token has expired (`paginationTokenExpired`), restart the window
    /// from its beginning.
    package func getNotificationHistory(
        _ query: NotificationHistoryQuery, paginationToken: String? = nil, _ scope: APIScope
    ) -> Pages<NotificationHistoryPage> {
        let operation = APIOperation.getNotificationHistory
        let report = report
        return Pages(from: paginationToken, reportRepeat: { report(.repeatedPage(operation, scope)) }) {
            token throws(APIError) in
            let answer: NotificationHistoryAnswer = try await self.answer(
                .notificationHistory(query, paginationToken: token), to: scope)
            return Pages.Fetched(
                page: self.page(answer, scope), cursor: answer.paginationToken, hasMore: answer.hasMore)
        }
    }

    private func transactionPages(
        _ operation: APIOperation, from revision: String?, _ scope: APIScope,
        request: @escaping @Sendable (String?) -> APIRequest
    ) -> Pages<TransactionPage> {
        let report = report
        return Pages(from: revision, reportRepeat: { report(.repeatedPage(operation, scope)) }) {
            revision throws(APIError) in
            let answer: TransactionHistoryAnswer = try await self.answer(request(revision), to: scope)
            let (transactions, refused) = self.verified(answer.signedTransactions, operation, scope)
            let page = TransactionPage(
                transactions: transactions, refused: refused, revision: answer.revision, hasMore: answer.hasMore)
            return Pages.Fetched(page: page, cursor: answer.revision, hasMore: answer.hasMore)
        }
    }

    private func page(_ answer: NotificationHistoryAnswer, _ scope: APIScope) -> NotificationHistoryPage {
        var items: [NotificationHistoryPage.Item] = []
        var refused: [NotificationHistoryPage.RefusedItem] = []
        for item in answer.notificationHistory {
            let signedPayload = Array(item.signedPayload.utf8)
            do throws(RefusedObject) {
                let verdict = try verdict(on: signedPayload, .getNotificationHistory, scope)
                items.append(
                    NotificationHistoryPage.Item(
                        signedPayload: signedPayload, verdict: verdict, sendAttempts: item.sendAttempts))
            } catch {
                refused.append(NotificationHistoryPage.RefusedItem(signedPayload: signedPayload, object: error))
            }
        }
        return NotificationHistoryPage(
            items: items, refused: refused, paginationToken: answer.paginationToken, hasMore: answer.hasMore)
    }
}
