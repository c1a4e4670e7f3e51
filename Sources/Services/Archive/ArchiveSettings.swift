internal import ArchiveKeys
package import Configuration
internal import Kafka
internal import OperatorEvents
internal import Records
internal import ServiceKit

/// Settings of `sluice-archive`, in addition to the settings of all consumers and of the archive's location and keys.
/// Names and defaults are a public contract.
package enum ArchiveSettings {
    package static let flushRecords = Setting.integer(
        "archive.flush.records", default: 1000, in: 1...50_000,
        help: "Number of records per partition after which a checkpoint is signed and offsets are committed.")
    package static let flushInterval = Setting.duration(
        "archive.flush.interval", default: .seconds(5), in: .milliseconds(100)...(.seconds(600)),
        help: """
            Maximum time from the first record of a checkpoint to its signature. Each checkpoint is a separate object: \
            for an object store that bills writes, a minute is a good value.
            """)
    package static let deadLetters = Setting(
        "archive.dead.letter.topics", ValueKind.list(of: .text), default: [],
        help: "Dead letter topics of your own consumers, which are archived as well.",
        example: "appstore.notifications.production.inbox.dlq")
    package static let begin = Setting.boolean(
        "archive.begin", default: false,
        help: """
            For one start after the loss of an archive: accepts the logs as they are in archive.url, even if the key \
            store, an anchor or the group's offsets show that more was signed. Remove the setting afterwards.
            """)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9467

    /// Performs the same checks as at startup, by creating the same configuration. Creates no files and contacts no
    /// service.
    ///
    /// - Throws: a ``ConfigurationError`` with the key, the source of its value, and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try ArchiveConfiguration(configuration)
    }

    package static let schema = ConfigurationSchema(
        ArchivePlace.storeSettings + [
            ArchivePlace.origin, ArchivePlace.signingKeys, ArchivePlace.keyEncryptionKeys, ArchivePlace.keyStore,
            flushRecords, flushInterval, ArchivePlace.retention, ArchivePlace.retentionInterval, begin, deadLetters,
            topicsPrefix, OperatorEventSettings.events,
        ] + anchorSettings)
}
