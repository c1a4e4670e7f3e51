internal import AppStoreModel
internal import AppStoreSettings
internal import Configuration

/// Settings that select the records to replay.
enum ReplaySettings {
    static let from = Setting("from", .instant, help: "Only records written at or after this time.")
        .optional.onCommandLineOnly.formerly("since")
    static let to = Setting("to", .instant, help: "Only records written before this time.")
        .optional.onCommandLineOnly.formerly("until")
    static let receivedFrom = Setting(
        "from", .instant, help: "Only notifications received at or after this time."
    ).optional.onCommandLineOnly.formerly("since")
    static let receivedTo = Setting("to", .instant, help: "Only notifications received before this time.")
        .optional.onCommandLineOnly.formerly("until")
    static let environment = Setting(
        "environment", .environmentName, help: "Only notifications from this environment. Default: both."
    ).optional.onCommandLineOnly
    static let again = Setting.flag(
        "again", help: "Also send records that failed again after an earlier replay.")
    static let againCopies = Setting.flag(
        "again", help: "Also send records that are themselves copies from an earlier replay.")
}

/// The properties by which a record is selected.
struct ReplaySubject: Hashable, Sendable {
    /// Milliseconds since 1970; nil if unknown. An unknown time matches every time range.
    var at: Int64?
    /// The notificationType, followed by a period and the subtype if there is one.
    var type: String?
    var bundleId: String?
    var environment: AppStoreEnvironment?
    /// The reason code of a dead letter or a quarantined notification.
    var reason: String?
}

/// Selects records. A record must satisfy all given conditions.
struct ReplayFilter: Hashable, Sendable {
    /// Milliseconds since 1970; `to` is exclusive.
    var from: Int64?
    var to: Int64?
    /// A notificationType selects all of its subtypes.
    var type: String?
    var bundleId: String?
    var environment: AppStoreEnvironment?
    var reason: String?

    func matches(_ subject: ReplaySubject) -> Bool {
        if let from, (subject.at ?? .max) < from { return false }
        if let to, (subject.at ?? .min) >= to { return false }
        if let type, subject.type != type, !(subject.type ?? "").hasPrefix(type + ".") { return false }
        if let bundleId, subject.bundleId != bundleId { return false }
        if let environment, subject.environment != environment { return false }
        if let reason, subject.reason != reason { return false }
        return true
    }
}
