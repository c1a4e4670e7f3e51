internal import AppStoreModel

extension AppStoreServerClient {
    /// No transaction of Apple's has it.
    private static let noTransaction = TransactionId("1")

    /// Asks whether the API answers for an app and accepts its token, by the cheapest request there is: for a transaction
    /// that does not exist.
    ///
    /// - Returns: the failure, which is of kind `refused` where everything works; nil when Apple knows the transaction.
    package func probe(_ scope: APIScope) async -> APIFailure? {
        do throws(APIFailure) {
            _ = try await send(APIRequest(.getTransactionInfo, Self.noTransaction.rawValue), to: scope)
            return nil
        } catch {
            return error
        }
    }
}
