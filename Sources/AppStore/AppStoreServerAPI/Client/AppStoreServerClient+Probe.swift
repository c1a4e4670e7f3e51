internal import AppStoreModel

extension AppStoreServerClient {
    /// An ID that no transaction has.
    private static let noTransaction = TransactionId("1")

    /// Checks that the API is reachable and accepts the app's token. Sends the cheapest request: one for a nonexistent
    /// transaction.
    ///
    /// - Returns: the failure, which is of kind `refused` if everything works, or nil if Apple has the transaction.
    package func probe(_ scope: APIScope) async -> APIError? {
        do throws(APIError) {
            _ = try await send(APIRequest(.getTransactionInfo, Self.noTransaction.rawValue), to: scope)
            return nil
        } catch {
            return error
        }
    }
}
