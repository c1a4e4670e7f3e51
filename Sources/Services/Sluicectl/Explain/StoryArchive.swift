internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import Story
internal import TransparencyLog

/// The archive's part of a story. Calls block on disk access.
struct StoryArchive {
    private let logs: ArchiveLogs
    /// The index, or nil without a key store; in that case, records can be located but not read.
    private let index: ArchiveIndexAccess?

    /// Opens the configured archive, and its index if a key store is configured too.
    ///
    /// - Returns: nil if no archive is configured or it cannot be read; in that case, an entry is added to `gaps`.
    static func open(
        _ configuration: Configuration, _ gaps: inout [Story.Gap], _ console: Console
    ) async -> StoryArchive? {
        let isGiven = configuration.origin(of: ArchivePlace.url.key) != .default
        let logs: ArchiveLogs
        do {
            logs = try ArchiveLogs(configuration)
            guard try await !logs.all().isEmpty else { throw StartupError("it has no logs", fix: "") }
        } catch {
            gaps.append(
                Story.Gap(
                    "the archive was not searched: " + (isGiven ? problem(error) : "not configured"),
                    fix: "Set archive.url, and archive.key.store with archive.key.encryption.key.file for records that "
                        + "Kafka no longer contains"))
            return nil
        }
        return StoryArchive(logs: logs, index: await openIndex(configuration, &gaps, console))
    }

    private static func openIndex(
        _ configuration: Configuration, _ gaps: inout [Story.Gap], _ console: Console
    ) async -> ArchiveIndexAccess? {
        guard configuration[ArchiveProofOptions.keyStore] != nil,
            configuration[ArchiveProofOptions.keyEncryptionKeys] != nil
        else {
            gaps.append(
                Story.Gap(
                    "archived records and decisions about persons were not read: no key store is configured",
                    fix: "Set archive.key.store and archive.key.encryption.key.file"))
            return nil
        }
        do {
            let keys = try ArchiveProofOptions.openKeys(configuration)
            do {
                let index = try ArchiveIndexAccess(configuration, keys: keys)
                if let warning = try await index.update(console).warning { gaps.append(Story.Gap(warning, fix: "")) }
                return index
            } catch {
                keys.close()
                throw error
            }
        } catch {
            gaps.append(
                Story.Gap(
                    "archived records were not read: \(problem(error))",
                    fix: "Check archive.key.store and archive.index"))
            return nil
        }
    }

    /// Whether archived records can be read, not only located.
    var isReadable: Bool { index != nil }

    private static func problem(_ error: any Error) -> String { (error as? StartupError)?.problem ?? "\(error)" }

    func close() {
        index?.index.close()
        index?.contents.close()
    }

    // MARK: Records

    /// Finds the record keys for an identifier, including those of records that Kafka no longer has.
    func resolve(_ identifier: StoryIdentifier, _ input: KafkaTopic, _ result: inout StoryResolution) async throws {
        guard let index else { return }
        let reader = ArchiveEntryReader(index.logs, index.contents)
        for name in identifier.kinds {
            guard let kind = name.indexed else { continue }
            for place in try index.index.places(of: IndexedName(kind, identifier.text)) {
                guard place.partition.topic == input, let entry = try await reader.entry(at: place),
                    case .record(let record) = entry.content, let key = record.key
                else { continue }
                result.keys.insert(key)
                result.kinds.insert(name)
                if name == .notificationUUID { result.notificationUUID = identifier.text }
            }
        }
    }

    /// The kinds of identifiers that record keys contain, see ``RecordIdentity/key``.
    private static let kindsInKeys: [IndexedName.Kind] = [
        .originalTransactionId, .appTransactionId, .requestIdentifier, .externalPurchaseId, .notificationUUID,
    ]

    /// Adds the archived notifications with the story's record keys, except those that are still in Kafka.
    func collect(
        into collector: inout StoryCollector, _ topics: StoryTopics, _ gaps: inout [Story.Gap]
    ) async throws {
        guard let index else { return }
        let reader = ArchiveEntryReader(index.logs, index.contents)
        let subjects = collector.keys.compactMap { RecordKey.parts(of: String(decoding: $0, as: UTF8.self))?.subject }
        let names = subjects.flatMap { subject in Self.kindsInKeys.map { IndexedName($0, subject) } }
        var unreadable: [String: Int] = [:]
        for place in Set(try names.flatMap({ try index.index.places(of: $0) })).sorted() {
            let input = topics.names.notifications(topics.environment)
            guard place.partition.topic == input, let entry = try await reader.entry(at: place) else { continue }
            if case .record(let record) = entry.content {
                collector.take(archived: record)
            } else if let name = entry.content.name {
                unreadable[name, default: 0] += 1
            }
        }
        for (name, count) in unreadable.sorted(by: { $0.key < $1.key }) {
            gaps.append(Story.Gap("\(count) archived records cannot be read: \(name)", fix: ""))
        }
    }

    /// Returns the position of each record in the archive, keyed by `topic/partition@offset`.
    func positions(of records: [KafkaRecord]) async throws -> [String: String] {
        var positions: [String: String] = [:]
        for (place, records) in Dictionary(grouping: records, by: \.topicPartition) {
            let reader = try logs.reader(of: place)
            do throws(ArchiveError) {
                let size = try await reader.checkpoint()?.checkpoint.size ?? 0
                for record in records {
                    let name = "\(place.topic)/\(place.partition)"
                    let leaf = size > 0 ? try await reader.index(of: record.offset, size: size) : nil
                    positions["\(name)@\(record.offset)"] = leaf.map { "leaf \($0) of \(name)" } ?? "not archived yet"
                }
            } catch { throw StartupError(error) }
        }
        return positions
    }

    // MARK: Decisions

    /// Returns the erasures and legal holds that concern the purchases. Records in the erasures topic identify persons
    /// by pseudonyms from this key store.
    func decisions(
        _ records: [KafkaRecord], _ keys: Set<[UInt8]>, _ environment: AppStoreEnvironment
    ) throws -> [StoryEntry] {
        guard let store = index?.contents.keys else { return [] }
        var purchases: [SubjectMark: String] = [:]
        for key in keys {
            let text = String(decoding: key, as: UTF8.self)
            purchases[try store.mark(of: ArchiveSubject(environment, key: text))] = text
        }
        return records.compactMap { record in
            guard let decision = record.value.flatMap({ try? ErasureRecord(json: $0) }),
                let purchase = purchases[decision.subject]
            else { return nil }
            var fields = [StoryField(StoryName.reason, .string(decision.reason))]
            fields.add(StoryName.request, decision.request)
            fields.add(StoryName.author, decision.author.isEmpty ? nil : decision.author)
            return StoryEntry(
                at: decision.requestedAt, .archiveDecision, "archive: \(decision.action.rawValue)", purchase: purchase,
                fields: fields)
        }
    }
}
