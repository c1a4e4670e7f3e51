internal import AppStoreModel
internal import AppStoreSettings
internal import ArchiveKeys
internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The flags of `sluicectl explain`.
enum ExplainSettings {
    static let at = Setting(
        "at", .instant, help: "Show the state at this time, up to now, and its cause, instead of a timeline."
    ).optional.onCommandLineOnly
    static let why = Setting.string(
        "why", help: "Explain only this entitlement: whether and why it is granted, and every change to it.",
        example: "pro"
    ).optional.onCommandLineOnly
    static let from = Setting("from", .instant, help: "Only events at or after this time.").optional.onCommandLineOnly
    static let to = Setting("to", .instant, help: "Only events before this time.").optional.onCommandLineOnly
    static let limit = Setting.integer(
        "limit", default: 2_000_000, in: 1...1_000_000_000,
        help: "Maximum number of records to read from each topic; the newest are read."
    ).onCommandLineOnly
    static let isBySignedDate = Setting.flag(
        "as-signed",
        help: """
            Replay states at Apple's signing times, as if every notification had arrived immediately. For history that \
            was imported later.
            """)
    static let reveal = Setting.flag(
        "reveal",
        help: "Print personal data and payloads. The access is published and archived, which requires --author.")

    static let archive: [any AnySetting] =
        ArchivePlace.storeSettings + [ArchiveProofOptions.keyStore, ArchiveProofOptions.keyEncryptionKeys]
        + [ArchivePlace.index]

    static let schema = SluicectlCommand.kafkaSchema.adding(
        ConfigurationSchema(
            [
                at, why, from, to, limit, isBySignedDate, reveal, OperationsSettings.environment,
                OperationsSettings.app, OperationsSettings.groups, OperationsSettings.entitlementsURL,
                OperationsSettings.entitlementsKey, OperationsSettings.webhooksAdminURL, OperationsSettings.receiver,
                OperationsSettings.roundGap, ArchiveReveals.author, ArchiveReveals.reason, ArchiveOptions.request,
                AppStoreSettings.appsIfAny, AppStoreSettings.environments, AppStoreSettings.roots,
            ] + OperationsSettings.clusterGroups.map(\.setting) + archive + AppStoreSettings.apiSettings))
}
