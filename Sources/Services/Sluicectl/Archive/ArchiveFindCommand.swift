internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records

/// `sluicectl archive find` and `show`: find records by their identifiers, and show decrypted records.
struct ArchiveFindCommand {
    let configuration: Configuration

    // MARK: find

    func find(_ id: String, _ console: Console) async throws -> ExitCode {
        let access = try ArchiveIndexAccess(configuration)
        defer { close(access) }
        if configuration[ArchiveOptions.rebuild] { try access.index.removeAll() }
        let extent = try await access.update(console)
        let lines = try await entries(of: id, access, console).map {
            ArchiveRecordReport($0, names: topicNames, reveals: false)
        }
        await console.write(
            configuration,
            text: lines.isEmpty ? "" : PlainText.table([ArchiveRecordReport.columns] + lines.map(\.cells)),
            lines: lines.map { JSONValue.object($0.place).json })
        if lines.isEmpty {
            console.complain("the archive has no readable record of \(PlainText.printable(id))")
        }
        let exitCode = extent.exitCode(console)
        return lines.isEmpty ? .failure : exitCode
    }

    // MARK: show

    func show(_ what: String, _ reveals: ArchiveReveals, _ console: Console) async throws -> ExitCode {
        let isRevealing = configuration[ArchiveOptions.reveal]
        if isRevealing { try reveals.requireAuthor() }
        let access = try ArchiveIndexAccess(configuration)
        defer { close(access) }
        var found: [ReadEntry] = []
        var exitCode = ExitCode.ok
        if let position = ArchivedPosition(what) {
            let reader = ArchiveEntryReader(access.logs, access.contents)
            found = [try await reader.entry(of: position.partition, at: position.offset)].compactMap(\.self)
        } else {
            let extent = try await access.update(console)
            found = try await entries(of: what, access, console)
            exitCode = extent.exitCode(console)
        }
        guard !found.isEmpty else {
            throw StartupError(
                "the archive does not contain record \(PlainText.printable(what))",
                fix: "Specify a UUID, a transaction id, or TOPIC/PARTITION@OFFSET")
        }
        if isRevealing { try await reveals.record(.show, found, access.contents.keys) }
        for record in found {
            if isRevealing {
                console.complain("revealed \(record.leaf.position) from the archive, including personal data")
            }
            let report = ArchiveRecordReport(record, names: topicNames, reveals: isRevealing)
            await console.write(configuration, text: report.text, json: report.json)
        }
        return found.contains { $0.isMissing } ? .archiveTampered : exitCode
    }

    // MARK: Private details

    private var topicNames: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    private func close(_ access: ArchiveIndexAccess) {
        access.index.close()
        access.contents.close()
    }

    /// Returns at most as many entries as `--limit` allows, and reports on standard error if there are more.
    private func entries(
        of id: String, _ access: ArchiveIndexAccess, _ console: Console
    ) async throws -> [ReadEntry] {
        let reader = ArchiveEntryReader(access.logs, access.contents)
        let places = try places(of: id, access.index)
        let limit = configuration[ArchiveOptions.limit]
        var entries: [ReadEntry] = []
        for place in places.prefix(limit) {
            if let entry = try await reader.entry(at: place) { entries.append(entry) }
        }
        if places.count > limit {
            console.complain("only the first \(limit) of \(places.count) records are shown; set --limit")
        }
        return entries
    }

    /// Looks up an identifier as each kind of identifier, because several kinds share a syntax.
    private func places(of id: String, _ index: SideIndex) throws -> [IndexedPlace] {
        var seen: Set<IndexedPlace> = []
        return try IndexedName.Kind.allCases.flatMap { try index.places(of: IndexedName($0, id)) }
            .filter { seen.insert($0).inserted }
    }
}

/// A record's position as operators write it: `appstore.notifications.production/3@17`.
struct ArchivedPosition {
    let partition: KafkaTopicPartition
    let offset: KafkaOffset

    init(_ entry: ReadEntry) {
        partition = entry.partition
        offset = entry.leaf.position.offset
    }

    var text: String { "\(partition.topic)/\(partition.partition)@\(offset)" }

    /// Parses a position. Returns nil if the topic, the partition or the offset is missing, or if a number is invalid.
    init?(_ text: String) {
        guard let at = text.lastIndex(of: "@"), let offset = Int64(text[text.index(after: at)...]), offset >= 0 else {
            return nil
        }
        let place = text[..<at]
        guard let slash = place.lastIndex(of: "/"), slash > place.startIndex,
            let partition = Int32(place[place.index(after: slash)...]), partition >= 0
        else { return nil }
        self.partition = KafkaTopicPartition(
            topic: KafkaTopic(rawValue: String(place[..<slash])), partition: KafkaPartition(rawValue: partition))
        self.offset = KafkaOffset(rawValue: offset)
    }
}
