internal import AppStoreModel
internal import ArchiveKeys
internal import Configuration

/// The flags of `sluicectl archive`.
enum ArchiveOptions {
    // Flags of `sluicectl archive erase`, `hold` and `release`
    static let originalTransactionId = Setting.string(
        "original-transaction-id", help: "The purchase; requires --app.", example: "2000000000000001"
    ).optional.onCommandLineOnly
    static let appAccountToken = identifier("app-account-token", "All of the account's purchases.", uuid)
    static let appTransactionId = identifier(
        "app-transaction-id", "All of a customer's purchases in one app, by appTransactionId.", "704000000000001"
    )
    static let transactionId = identifier(
        "transaction-id", "The purchase to which this transaction belongs.", "2000000000000017")
    static let webOrderLineItemId = identifier(
        "web-order-line-item-id", "The purchase to which this line item belongs.", "2000000000000031")
    static let notificationUUID = identifier(
        "notification-uuid", "The purchase that this notification concerns.", uuid)
    static let requestIdentifier = identifier(
        "request-identifier", "Records of a renewal date extension request.", uuid)
    static let externalPurchaseId = identifier(
        "external-purchase-id", "Records of an external purchase.", uuid)
    static let position = identifier(
        "position", "The subject of one archived record, TOPIC/PARTITION@OFFSET, for records without an identifier.",
        "appstore.quarantine/0@17")
    /// Flags that select the subjects of a decision or an export. Exactly one of them is required.
    static let selectors: [any AnySetting] = [
        originalTransactionId, appAccountToken, appTransactionId, transactionId, webOrderLineItemId, notificationUUID,
        requestIdentifier, externalPurchaseId, position,
    ]

    private static let uuid = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"

    private static func identifier(_ name: String, _ help: String, _ example: String) -> Setting<String?> {
        Setting.string(name, help: help, example: example).optional.onCommandLineOnly
    }

    static let app = Setting.string("app", help: "The app.", example: "com.example.app").optional.onCommandLineOnly
    static let environment = Setting(
        "environment", .environmentName, default: .production,
        help: "Environment of the purchases. Quarantined records from both environments are included."
    ).onCommandLineOnly
    static let reason = Setting.string(
        "reason", default: "data subject request",
        help: "The reason, in a few words without personal data. It is archived and published."
    ).onCommandLineOnly
    static let request = Setting.string(
        "request", help: "Your reference for the request or case. It is archived and published.",
        example: "DSR-2026-17"
    ).optional.onCommandLineOnly
    static let backupDays = Setting.integer(
        "backup-days", default: 30, in: 0...3650,
        help: "Maximum age of key store backups, in days; included in the person's report."
    ).onCommandLineOnly

    // Flags of `sluicectl archive find` and `show`
    static let rebuild = Setting.flag("rebuild", help: "First rebuild the index from the whole archive.")
    static let limit = Setting.integer("limit", default: 100, in: 1...10_000, help: "Maximum number of records.")
        .onCommandLineOnly
    static let reveal = Setting.flag(
        "reveal",
        help: "Print everything, including personal data. The access is archived, which requires --author and Kafka.")
}
