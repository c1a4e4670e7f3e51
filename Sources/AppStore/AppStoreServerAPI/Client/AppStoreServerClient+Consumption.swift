package import AppStoreModel

/// Which body a consumption answer has. Source: Apple, "Send Consumption Information".
package enum ConsumptionForm: Sendable, Hashable {
    /// For Advanced Commerce purchases.
    case v1
    /// For all others.
    case v2
}

extension AppStoreServerClient {
    /// Send Consumption Information: answers a CONSUMPTION_REQUEST. Any 2xx is success.
    ///
    /// - Parameters:
    ///   - body: JSON, sent byte for byte.
    ///   - transactionId: that of the notification's transaction, not the original one.
    ///   - priority: `last` shortly before Apple's 12 hours are over.
    /// - Throws: ``APIFailure``. `noAnswer` and `cancelled` leave open whether Apple has the answer; sending the same
    ///   bytes again is safe.
    package func sendConsumption(
        _ body: [UInt8], form: ConsumptionForm, for transactionId: TransactionId, of bundleId: BundleId,
        in environment: AppStoreEnvironment, priority: RequestPriority = .urgent
    ) async throws(APIFailure) {
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
