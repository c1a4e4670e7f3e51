internal import AppStoreModel
internal import ArchiveConfiguration
internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records
internal import Story

/// The part of a story that is in the archive. Calls block on disks.
struct StoryArchive {
    private let configuration: Configuration
    private let logs: ArchiveLogs

    /// Nil if no archive is configured, or it has no logs; an unreadable one is a gap.
    init?(_ configuration: Configuration, _ gaps: inout [Story.Gap]) async {
        let isGiven = configuration.origin(of: ArchivePlace.url.key) != .default
        do {
            logs = try ArchiveLogs(configuration)
            guard try await !logs.all().isEmpty else { throw StartupError("it has no logs", fix: "") }
        } catch {
            let reason = isGiven ? ": \((error as? StartupError)?.problem ?? "\(error)")" : ""
            gaps.append(
                Story.Gap(
                    isGiven ? "the archive was not searched\(reason)" : "the archive was not searched: not configured",
                    fix: "Set archive.url, and archive.key.store with archive.key.encryption.key.file for records that "
                        + "Kafka no longer has"))
            return nil
        }
        self.configuration = configuration
    }

    /// Returns the archived positions of records, by their positions in Kafka.
    func positions(of records: [KafkaRecord]) async throws -> [String: String] {
        var scans: [KafkaTopicPartition: ArchiveScan] = [:]
        var positions: [String: String] = [:]
        for record in records {
            let place = record.topicPartition
            let scan: ArchiveScan
            if let open = scans[place] {
                scan = open
            } else {
                scan = try await logs.reader(of: place).scan(logs)
                scans[place] = scan
            }
            let name = "\(place.topic)/\(place.partition)@\(record.offset)"
            guard scan.size > 0 else {
                positions[name] = "not archived"
                continue
            }
            do throws(LogReadError) {
                let index = try await scan.reader.index(of: record.offset, size: scan.size)
                positions[name] = index.map { "leaf \($0) of \(place.topic)/\(place.partition)" } ?? "not archived yet"
            } catch { throw StartupError(error) }
        }
        return positions
    }

    /// Adds records of purchases that Kafka no longer has; needs the key store.
    func collect(
        into collector: inout StoryCollector, _ topics: StoryTopics, _ gaps: inout [Story.Gap], _ console: Console
    ) async throws {
        guard configuration[ArchiveProofOptions.keyStore] != nil,
            configuration[ArchiveProofOptions.keyEncryptionKeys] != nil
        else {
            gaps.append(
                Story.Gap(
                    "archived records were not read, because no key store is configured",
                    fix: "Set archive.key.store and archive.key.encryption.key.file"))
            return
        }
        let keys = try ArchiveProofOptions.openKeys(configuration)
        defer { keys.close() }
        let access = try ArchiveIndexAccess(configuration, keys: keys)
        defer { access.index.close() }
        if let warning = try await access.update(console).warning { gaps.append(Story.Gap(warning, fix: "")) }
        let reader = ArchiveEntryReader(access.logs, access.contents)
        let names = collector.keys.compactMap { RecordKey.parts(of: String(decoding: $0, as: UTF8.self)) }
            .map { IndexedName(.originalTransactionId, $0.subject) }
        var unreadable: [String: Int] = [:]
        for place in try names.flatMap({ try access.index.places(of: $0) }).sorted() {
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
}
