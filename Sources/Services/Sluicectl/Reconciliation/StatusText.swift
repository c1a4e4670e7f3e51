internal import AppStoreModel
internal import CommandLine
internal import Reconciliation

/// Formats differences between published subscriptions and Apple's statuses as text.
enum StatusText {
    static func table(_ differences: [StatusDifference], indent: String = "") -> String {
        let rows = differences.map { difference in
            [
                difference.published.originalTransactionId.rawValue, difference.kind.rawValue,
                difference.published.state ?? "-",
                difference.status.map(name) ?? "-", difference.published.transactionId?.rawValue ?? "-",
                difference.latest?.rawValue ?? "-",
                difference.isRepaired ? "repaired" : difference.published.awaitsConfirmation ? "waits" : "",
            ].map { PlainText.printable($0) }
        }
        return PlainText.table(
            [["PURCHASE", "DIFFERS IN", "PUBLISHED", "APPLE", "TRANSACTION", "LATEST", ""]] + rows, indent: indent)
    }

    private static func name(_ status: SubscriptionStatus) -> String {
        switch status {
        case .active: "active"
        case .expired: "expired"
        case .billingRetry: "billing retry"
        case .billingGracePeriod: "grace period"
        case .revoked: "revoked"
        default: "\(status.rawValue)"
        }
    }
}
