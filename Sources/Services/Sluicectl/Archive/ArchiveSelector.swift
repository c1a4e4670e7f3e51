internal import AppStoreModel
internal import ArchiveKeys
internal import CommandLine
internal import Configuration
internal import Lifecycle

/// The subjects that a command line selects in the archive.
enum ArchiveSelector {
    /// A purchase in an app. The archive may have no record of it.
    case purchase(BundleId, OriginalTransactionId)
    /// Every subject with a record that contains the identifier.
    case identifier(IndexedName)
    /// The subject of one record.
    case position(ArchivedPosition)

    private static let identifiers: [(setting: Setting<String?>, kind: IndexedName.Kind)] = [
        (ArchiveOptions.appAccountToken, .appAccountToken), (ArchiveOptions.appTransactionId, .appTransactionId),
        (ArchiveOptions.transactionId, .transactionId), (ArchiveOptions.webOrderLineItemId, .webOrderLineItemId),
        (ArchiveOptions.notificationUUID, .notificationUUID),
        (ArchiveOptions.requestIdentifier, .requestIdentifier),
        (ArchiveOptions.externalPurchaseId, .externalPurchaseId),
    ]

    /// Whether the command line selects any subject.
    static func isGiven(_ configuration: Configuration) -> Bool {
        configuration[ArchiveOptions.originalTransactionId] != nil || configuration[ArchiveOptions.position] != nil
            || identifiers.contains { configuration[$0.setting] != nil }
    }

    /// - Throws: a ``StartupError`` if none or more than one of the flags is set, if a purchase is selected without its
    ///   app, or if a position is invalid.
    init(_ configuration: Configuration) throws(StartupError) {
        var selectors: [ArchiveSelector] = []
        if let purchase = configuration[ArchiveOptions.originalTransactionId] {
            guard let app = configuration[ArchiveOptions.app] else {
                throw StartupError(
                    "a purchase can be selected only together with its app", setting: ArchiveOptions.app.key,
                    fix: "Set --app BUNDLE",
                    exitCode: .usage)
            }
            selectors.append(.purchase(BundleId(app), OriginalTransactionId(purchase)))
        }
        for (setting, kind) in Self.identifiers {
            if let text = configuration[setting] { selectors.append(.identifier(IndexedName(kind, text))) }
        }
        if let text = configuration[ArchiveOptions.position] {
            guard let position = ArchivedPosition(text) else {
                throw StartupError(
                    "\(PlainText.printable(text)) is not a position", setting: ArchiveOptions.position.key,
                    fix: "Specify TOPIC/PARTITION@OFFSET, as printed by sluicectl archive find", exitCode: .usage)
            }
            selectors.append(.position(position))
        }
        guard selectors.count == 1 else {
            throw StartupError(
                selectors.isEmpty ? "no purchase, person or record is selected" : "only one identifier is allowed",
                setting: ArchiveOptions.originalTransactionId.key,
                fix: "Set --original-transaction-id ID with --app BUNDLE, or one of the other identifiers",
                exitCode: .usage)
        }
        self = selectors[0]
    }
}
