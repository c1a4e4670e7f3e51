package import AppStoreModel

/// Fields that decide who may use what. One of another type than documented must not be guessed at.
package enum DecisiveFields {
    private static let names: Set<String> = [
        "transactionId", "originalTransactionId", "bundleId", "environment", "productId", "type", "purchaseDate",
        "expiresDate", "signedDate", "revocationDate", "revocationType", "isUpgraded", "inAppOwnershipType",
        "appAccountToken", "autoRenewStatus", "autoRenewProductId", "gracePeriodExpiresDate",
        "isInBillingRetryPeriod", "status", "notificationType", "subtype",
    ]

    /// Says which decisive fields are not as documented; nil for none.
    package static func problem(in problems: [FieldProblem]) -> String? {
        let decisive = problems.filter { problem in
            problem.path.split(separator: ".").last.map { names.contains(String($0)) } ?? false
        }
        return decisive.isEmpty ? nil : decisive.map(\.description).joined(separator: ", ")
    }
}
