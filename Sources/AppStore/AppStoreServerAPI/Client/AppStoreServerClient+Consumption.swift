package import AppStoreModel

/// The body version of a consumption answer. Source: Apple, "Send Consumption Information".
package enum ConsumptionForm: Sendable, Hashable {
    /// Version 1, for Advanced Commerce purchases.
    case v1
    /// Version 2, for all other purchases.
    case v2
}

extension AppStoreServerClient {
    /// Send Consumption Information: answers a CONSUMPTION_REQUEST. Any 2xx status is a success.
    ///
    /// - Parameters:
    ///   - body: the JSON body, sent byte for byte.
    ///   - transactionId: the ID of the notification's transaction, not the originalTransactionId.
    ///   - priority: the priority; use `last` shortly before Apple's 12-hour deadline.
    /// - Throws: ``APIError``. After `noAnswer` or `cancelled`, Apple may have received the answer. It is safe to
    ///   send the same bytes again.
    package func sendConsumption(
        _ body: [UInt8], form: ConsumptionForm, for transactionId: TransactionId, of bundleId: BundleId,
        in environment: AppStoreEnvironment, priority: RequestPriority = .urgent
    ) async throws(APIError) {
        let operation: APIOperation =
            switch form {
            case .v1: .sendConsumptionInformationV1
            case .v2: .sendConsumptionInformation
            }
        _ = try await send(
            APIRequest(operation, transactionId.rawValue, body: body),
            to: APIScope(bundleId, in: environment, priority: priority))
    }
}
