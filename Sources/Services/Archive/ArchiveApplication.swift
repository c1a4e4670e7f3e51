internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Kafka
package import PipelineRuntime
internal import Primitives
internal import Records
internal import ServiceKit

/// `sluice-archive`: keeps all data received from Apple, and the records derived from it, so that both can be verified
/// years later.
package enum ArchiveApplication {
    package static let application = application()

    /// - Parameters:
    ///   - clocks: the clocks for the timestamps of leaves and checkpoints.
    ///   - pause: awaited before each search for expired payloads; receives `archive.retention.interval`.
    static func application(
        clocks: Clocks = .system,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> ConsumerApplication {
        ConsumerApplication(
            name: "sluice-archive",
            summary: "Archives Apple's data so that it can be verified years later and erased per person.",
            discussion: """
                Each partition of the notification, quarantine, refund, certificate, erasure and dead letter topics \
                has a tamper-evident log of plain files (archive.url): a C2SP tlog-tiles tree of small leaves, \
                checkpoints signed with an Ed25519 key, and the records, each encrypted under its purchase's key. The \
                public key is enough to verify the log, without this program, Kafka or the decryption keys: use \
                sluicectl archive verify, or any implementation of the C2SP formats.

                A record's offset is committed when a signed checkpoint covers it. Offsets that Kafka deleted before \
                they were archived are recorded in the log. A log that is missing, is older than a signed checkpoint, \
                or diverges from one is refused. For one start after the loss of an archive, archive.begin=true \
                accepts the logs as they are, and rereads the records that the group has read but the archive lacks.

                sluicectl archive key creates the keys. Keep the key store (archive.key.store) on a different volume \
                from the archive and in separate backups: anyone who has both can decrypt the records. Erasing a \
                person destroys that person's key. The keys are also in Kafka, encrypted; a new host reads them from \
                there.

                Exit codes: 0 stopped normally, 1 external failure, 64 usage, 65 a topic is damaged, 66 records were \
                deleted before they were read, 78 configuration or a refused log.
                """,
            adminPort: ArchiveSettings.adminPort, schema: ArchiveSettings.schema,
            examples: [
                .init(
                    """
                    sluice-archive --kafka.bootstrap.servers kafka-1:9092 --archive.url /var/lib/sluice/archive \
                    --archive.origin example.com/appstore --archive.signing.key.file /run/secrets/archive-signing.pem \
                    --archive.key.encryption.key.file /run/secrets/archive-kek \
                    --archive.key.store /var/lib/sluice-keys/keys.sqlite
                    """, "Archive to a directory."),
                .init(
                    "sluicectl archive verify --archive.url /var/lib/sluice/archive --key key.pub",
                    "Verify that archive."),
            ],
            topics: { configuration in
                let topics = topics(configuration)
                let known = topics.specifications
                return ConsumerTopics(
                    input: topics.all.map { archived in
                        known.first { $0.name == archived.topic }?.expectation
                            ?? KafkaTopicExpectation(topic: archived.topic)
                    },
                    others: topics.names.expectations(of: [topics.names.archiveKeys, topics.names.archiveCheckpoints]),
                    deadLetters: topics.names.archiveDeadLetters, control: topics.names.controlTopic.expectation,
                    operations: topics.names.operationsTopic.expectation)
            },
            build: { context in
                let service = try await ArchiveService(
                    context, topics: topics(context.configuration), clocks: clocks, pause: pause)
                var options = context.options
                options.flushRecords = context.configuration[ArchiveSettings.flushRecords]
                options.flushBytes = ArchiveService.flushBytes
                options.flushInterval = context.configuration[ArchiveSettings.flushInterval]
                return ConsumerParts(
                    handler: .flushing(service.handler), services: service.services, options: options)
            })
    }

    private static func topics(_ configuration: Configuration) -> ArchivedTopics {
        ArchivedTopics(
            TopicNames(prefix: configuration[ArchiveSettings.topicsPrefix]),
            further: configuration[ArchiveSettings.deadLetters].map(KafkaTopic.init(rawValue:)))
    }
}
