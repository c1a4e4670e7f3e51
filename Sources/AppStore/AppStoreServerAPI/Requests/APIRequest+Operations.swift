internal import AppStoreModel
internal import JSON

extension APIRequest {
    static func transactionHistory(
        of id: AnyTransactionId, _ query: TransactionHistoryQuery, revision: String?
    ) -> APIRequest {
        APIRequest(.getTransactionHistory, id.rawValue, query: query.parameters(revision: revision))
    }

    static func refundHistory(of id: AnyTransactionId, revision: String?) -> APIRequest {
        APIRequest(
            .getRefundHistory, id.rawValue, query: revision.map { [(name: "revision", value: $0)] } ?? [])
    }

    static func notificationHistory(_ query: NotificationHistoryQuery, paginationToken: String?) -> APIRequest {
        APIRequest(
            .getNotificationHistory, query: paginationToken.map { [(name: "paginationToken", value: $0)] } ?? [],
            body: query.body)
    }

    static func setAppAccountToken(_ token: AppAccountToken, of id: OriginalTransactionId) -> APIRequest {
        var writer = JSONWriter()
        writer.object { $0.set("appAccountToken", token.rawValue) }
        return APIRequest(.setAppAccountToken, id.rawValue, body: writer.bytes)
    }
}
