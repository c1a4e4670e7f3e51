internal import AppStoreModel
internal import ArchiveLog
internal import Configuration

/// The flags of `sluicectl archive status`, `export` and `replay`.
enum ArchiveReadingOptions {
    static let againstKafka = Setting.flag(
        "against-kafka", help: "Also read Kafka for the number of unarchived records and the anchored checkpoints.")
    static let againstAnchor = Setting.flag(
        "against-anchor", help: "Also read the checkpoint of each log from archive.anchor.url.")
    static let dryRun = Setting.flag("dry-run", help: "Print what the next run would do, without changing anything.")
    static let bytes = Setting.flag(
        "bytes", help: "Add up the bytes of all objects. Listing them takes hours for a large archive.")
    static let topic = Setting.string(
        "topic", help: "Only logs for this topic.", example: "appstore.notifications.production"
    ).optional.onCommandLineOnly
    static let replayedTopic = Setting.string(
        "topic", help: "The topic to replay records from.", example: "appstore.notifications.production"
    ).onCommandLineOnly
    static let toTopic = Setting.string(
        "to-topic", help: "The topic to write the records to. Default: the same topic.",
        example: "appstore.notifications.restored"
    ).optional.onCommandLineOnly
    static let from = Setting("from", .instant, help: "Only records with a Kafka timestamp at or after this time.")
        .optional.onCommandLineOnly.formerly("since")
    static let to = Setting("to", .instant, help: "Only records with a Kafka timestamp before this time.")
        .optional.onCommandLineOnly.formerly("until")
    static let app = Setting.string("app", help: "Only records for this app.", example: "com.example.app")
        .optional.onCommandLineOnly
    static let type = Setting.string("type", help: "Only records with this notificationType.", example: "DID_RENEW")
        .optional.onCommandLineOnly
    static let environment = Setting(
        "environment", .environmentName, help: "Only records from this environment. Default: both."
    ).optional.onCommandLineOnly
    static let allTopics = Setting.flag(
        "all-topics", help: "Also export quarantine, refunds, dead letters, erasures and certificates.")
    static let outputDirectory = Setting.string(
        "output-directory",
        help: """
            A directory for records.jsonl or records.csv, and for manifest.json with digests and the checkpoints that \
            cover the records. Default: standard output.
            """, example: "export-2026-11"
    ).optional.onCommandLineOnly.formerly("to") { !$0.resemblesTime }
    static let format = Setting<ExportFormat>.oneOf(
        "format", default: .jsonl, help: "jsonl: JSON lines with the body as received; csv: a table without bodies."
    ).onCommandLineOnly
}

/// The output format of `export`.
enum ExportFormat: String, CaseIterable, Sendable {
    case jsonl, csv
}

/// A command's selection of archive records.
struct ArchiveFilter: Sendable {
    /// Milliseconds since 1970; `to` is exclusive.
    let from: Int64?
    let to: Int64?
    let app: String?
    let type: String?

    init(_ configuration: Configuration) {
        from = configuration[ArchiveReadingOptions.from]?.millisecondsSince1970
        to = configuration[ArchiveReadingOptions.to]?.millisecondsSince1970
        app = configuration[ArchiveReadingOptions.app]
        type = configuration[ArchiveReadingOptions.type]
    }

    /// Creates a filter that selects only by time.
    init(window configuration: Configuration) {
        from = configuration[ArchiveReadingOptions.from]?.millisecondsSince1970
        to = configuration[ArchiveReadingOptions.to]?.millisecondsSince1970
        app = nil
        type = nil
    }

    /// Whether the filter needs the record's content in addition to its leaf.
    var asksForContent: Bool { app != nil || type != nil }

    /// Returns whether a leaf may match, based on its Kafka timestamp or, if it has none, on the time at which it was
    /// archived.
    func mayWant(_ leaf: ArchiveLeaf) -> Bool {
        let time = leaf.timestampMilliseconds ?? leaf.archivedAtMilliseconds
        return time >= from ?? .min && time < to ?? .max
    }

    func wants(app: String?, type: String?) -> Bool {
        (self.app == nil || self.app == app) && (self.type == nil || self.type == type)
    }
}
