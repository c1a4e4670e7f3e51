internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// `sluicectl archive replay`: writes archived records to Kafka again, to restore a topic that was lost.
struct ArchiveReplayCommand {
    let configuration: Configuration
    let interruption: Interruption
    let timeout: Duration
    let reveals: ArchiveReveals

    func run(_ console: Console) async throws -> ExitCode {
        let topic = KafkaTopic(rawValue: configuration[ArchiveReadingOptions.replayedTopic])
        let target = try target(of: topic)
        if configuration[OperationsSettings.yes] { try reveals.requireAuthor() }
        let logs = try ArchiveLogs(configuration)
        let readers = try await logs.readers { $0 == topic }
        let contents = try await ArchivedContents(configuration, logs)
        defer { contents.close() }
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            try await require(target, admin)
            if configuration[OperationsSettings.yes] {
                try await reveals.record(.replay, scope: "\(topic) into \(target)", marks: contents.keys.marksId)
            }
            let producer = try KafkaProducer(kafka, topics: [target])
            do {
                let exitCode = try await ReplayRun(
                    configuration: configuration, admin: admin, interruption: interruption, console: console
                ).run(through: producer) { take in
                    try await read(readers, logs, contents, to: target, console, take)
                }
                await producer.close(within: .seconds(5))
                return exitCode
            } catch {
                await producer.close(within: .seconds(1))
                throw error
            }
        }
    }

    /// Returns the target topic. The operator must specify it unless the records come from a notification, quarantine
    /// or certificate topic: in a state topic that still has rows, a replayed row could follow a newer one.
    private func target(of topic: KafkaTopic) throws(StartupError) -> KafkaTopic {
        if let name = configuration[ArchiveReadingOptions.toTopic] { return KafkaTopic(rawValue: name) }
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        switch ArchiveKind(topic: topic, names: names) {
        case .notification, .quarantine, .certificate: return topic
        default:
            throw StartupError(
                "\(PlainText.printable(topic.rawValue)) must be a notification, quarantine or certificate topic",
                setting: "--to-topic",
                fix:
                    "Old rows must not follow newer ones. If the whole topic was lost, set --to-topic to its name",
                exitCode: .usage)
        }
    }

    /// Checks that the topic exists, because a producer would wait for a missing topic.
    private func require(_ topic: KafkaTopic, _ admin: KafkaAdmin) async throws {
        do throws(KafkaError) {
            _ = try await admin.watermarks(of: topic)
        } catch {
            if error.code == .topicAuthorizationFailed { throw StartupError(missing: topic, denied: [topic]) }
            guard error.code == .unknownTopic else { throw error }
            throw StartupError(
                "topic \(PlainText.printable(topic.rawValue)) does not exist",
                fix: "Create it with: sluicectl topics apply")
        }
    }

    private func read(
        _ readers: [LogReader], _ logs: ArchiveLogs, _ contents: ArchivedContents, to target: KafkaTopic,
        _ console: Console, _ take: (ReplayItem) async throws -> Bool
    ) async throws {
        let window = ArchiveFilter(window: configuration)
        let after = configuration[OperationsSettings.after]
        var passedOver: [String: Int] = [:]
        for reader in readers {
            let partition = reader.names.partition.partition
            if let after, partition.rawValue < after.partition.rawValue { continue }
            let wantsMore = try await reader.scan(logs).run(
                after: after?.partition == partition ? after?.offset : nil, where: window.mayWant
            ) { entry in
                let position = RecordPosition(partition: partition, offset: entry.leaf.position.offset)
                switch try contents.content(of: entry) {
                case .record(let record):
                    return try await take(item(record, at: position, to: target))
                case .missing:
                    return try await take(
                        ReplayItem(
                            position: position,
                            prepared: .failure(
                                ReplayRefusal(
                                    reason: "missing", detail: "its payload was removed before it expired"))))
                case .keyUnknown where filter == ReplayFilter():
                    return try await take(
                        ReplayItem(
                            position: position,
                            prepared: .failure(
                                ReplayRefusal(
                                    reason: "key_unknown", detail: "the key store does not contain the record's key"))))
                case let content:
                    // Skip three kinds of entries: erased or expired records, whose content was removed on purpose;
                    // gaps, which have no record; and records that cannot be decrypted, to which the filter cannot be
                    // applied.
                    if let name = content.name { passedOver[name, default: 0] += 1 }
                    return try await take(ReplayItem(position: position))
                }
            }
            guard wantsMore else { break }
        }
        if !passedOver.isEmpty {
            let parts = passedOver.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            console.complain("skipped: \(parts.joined(separator: ", "))")
        }
    }

    /// The conditions that need the record's content. `--from` and `--to` apply to its leaf.
    private var filter: ReplayFilter {
        ReplayFilter(
            type: configuration[TapSettings.type],
            bundleId: configuration[OperationsSettings.recordApp],
            environment: configuration[ReplaySettings.environment])
    }

    /// Returns the properties of an archived record, which may be a quarantined notification.
    private func subject(of record: KafkaRecord) -> ReplaySubject {
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        guard configuration[ArchiveReadingOptions.replayedTopic] == names.quarantine.rawValue else {
            return ReplaySubject(notification: record)
        }
        let kept = QuarantineRecord(key: record.key, value: record.value, headers: record.headers)
        return ReplaySubject(kept, receivedAt: kept.receivedAt)
    }

    private func item(_ record: KafkaRecord, at position: RecordPosition, to target: KafkaTopic) -> ReplayItem {
        var item = ReplayItem(
            position: position, identity: record.text(.id), subject: subject(of: record))
        guard filter.matches(item.subject) else { return item }
        // The archive also contains the copies that earlier replays wrote. A run that did not skip them would double
        // their number.
        let isCopy = record.text(.origin) == RecordOrigin.replay.rawValue
        item.prepared =
            isCopy && !configuration[ReplaySettings.againCopies]
            ? .failure(
                ReplayRefusal(
                    reason: "copy", detail: "it was written by an earlier replay or release; --again sends it too"))
            : .success([record.replayed(to: target)])
        return item
    }
}
