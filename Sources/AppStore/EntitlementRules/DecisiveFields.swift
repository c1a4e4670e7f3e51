package import AppStoreModel

/// Fields that determine access. If the value of one of them has an undocumented type, the value must not be guessed.
package enum DecisiveFields {
    private static let names: Set<String> = [
        "transactionId", "originalTransactionId", "bundleId", "environment", "productId", "type", "purchaseDate",
        "expiresDate", "signedDate", "revocationDate", "revocationType", "isUpgraded", "inAppOwnershipType",
        "appAccountToken", "autoRenewStatus", "autoRenewProductId", "gracePeriodExpiresDate",
        "isInBillingRetryPeriod", "status", "notificationType", "subtype",
    ]

    /// Returns a description of the decisive fields that differ from the documentation, or nil if there are none.
    package static func problem(in problems: [FieldProblem]) -> String? {
        let decisive = problems.filter { problem in
            problem.path.split(separator: ".").last.map { names.contains(String($0)) } ?? false
        }
        return decisive.isEmpty ? nil : decisive.map(\.description).joined(separator: ", ")
    }
}
