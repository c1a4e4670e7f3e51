internal import AppStoreModel
internal import ArchiveLog
internal import Configuration

/// The flags of `sluicectl archive status`, `export` and `replay`.
enum ArchiveReadingOptions {
    static let againstKafka = Setting.flag(
        "against-kafka", help: "Also read Kafka: records not archived yet, and the anchored checkpoints.")
    static let againstAnchor = Setting.flag(
        "against-anchor", help: "Also read archive.anchor.url: the checkpoint that it has for each log.")
    static let dryRun = Setting.flag("dry-run", help: "Print what the next run would do, without changing anything.")
    static let bytes = Setting.flag(
        "bytes", help: "Add up the bytes of all objects. Listing them takes hours in a large archive.")
    static let topic = Setting.string(
        "topic", help: "Only logs of this topic.", example: "appstore.notifications.production"
    ).optional.onCommandLineOnly
    static let replayedTopic = Setting.string(
        "topic", help: "The topic whose records are replayed.", example: "appstore.notifications.production"
    ).onCommandLineOnly
    static let toTopic = Setting.string(
        "to-topic", help: "The topic to write them to. Default: the same topic.",
        example: "appstore.notifications.restored"
    ).optional.onCommandLineOnly
    static let since = Setting("since", .instant, help: "Only records from this time on, by their Kafka timestamp.")
        .optional.onCommandLineOnly
    static let until = Setting("until", .instant, help: "Only records before this time.").optional.onCommandLineOnly
    static let app = Setting.string("app", help: "Only records of this app.", example: "com.example.app")
        .optional.onCommandLineOnly
    static let type = Setting.string("type", help: "Only records of this notificationType.", example: "DID_RENEW")
        .optional.onCommandLineOnly
    static let environment = Setting(
        "environment", .environmentName, help: "Only records of this environment. Default: both."
    ).optional.onCommandLineOnly
    static let allTopics = Setting.flag(
        "all-topics", help: "Also export quarantine, refunds, dead letters, erasures and certificates.")
    static let toDirectory = Setting.string(
        "to",
        help: """
            A directory for records.jsonl or records.csv, and for manifest.json with digests and the checkpoints that \
            cover the records. Default: standard output.
            """, example: "export-2026-11"
    ).optional.onCommandLineOnly
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
    /// The earliest time in milliseconds since 1970.
    let since: Int64?
    let until: Int64?
    let app: String?
    let type: String?

    init(_ configuration: Configuration) {
        since = configuration[ArchiveReadingOptions.since]?.millisecondsSince1970
        until = configuration[ArchiveReadingOptions.until]?.millisecondsSince1970
        app = configuration[ArchiveReadingOptions.app]
        type = configuration[ArchiveReadingOptions.type]
    }

    /// Creates a filter that selects only by time.
    init(window configuration: Configuration) {
        since = configuration[ArchiveReadingOptions.since]?.millisecondsSince1970
        until = configuration[ArchiveReadingOptions.until]?.millisecondsSince1970
        app = nil
        type = nil
    }

    /// Whether the filter needs the record's content in addition to its leaf.
    var asksForContent: Bool { app != nil || type != nil }

    /// Returns whether a leaf may match, based on its Kafka timestamp or, if it has none, on the time of its archiving.
    func mayWant(_ leaf: ArchiveLeaf) -> Bool {
        let time = leaf.timestampMilliseconds ?? leaf.archivedAtMilliseconds
        return time >= since ?? .min && time < until ?? .max
    }

    func wants(app: String?, type: String?) -> Bool {
        (self.app == nil || self.app == app) && (self.type == nil || self.type == type)
    }
}
