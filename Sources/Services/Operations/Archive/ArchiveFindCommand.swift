internal import AppStoreModel
internal import ArchiveConfiguration
internal import ArchiveFormat
internal import ArchiveKeys
internal import Bytes
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records

/// `sluicectl archive find` and `show`: records by their identifiers, and one record decrypted.
struct ArchiveFindCommand {
    let configuration: Configuration

    // MARK: find

    func find(_ id: String, _ console: Console) async throws -> ExitCode {
        let (records, index) = try open()
        defer { close(records, index) }
        if configuration[ArchiveOptions.rebuild] { try index.removeAll() }
        try await update(index, records, console)
        let places = try places(of: id, index).prefix(configuration[ArchiveOptions.limit])
        var lines: [ArchiveRecordReport] = []
        for place in places {
            guard let found = try await records.record(at: place) else { continue }
            lines.append(ArchiveRecordReport(found, names: topicNames, reveals: false))
        }
        switch configuration[OperationsSettings.output] {
        case .text:
            await console.write(
                lines.isEmpty ? "" : PlainText.table([ArchiveRecordReport.columns] + lines.map(\.cells)))
        case .json:
            for line in lines { await console.write(line: JSONValue.object(line.place).json) }
        }
        if lines.isEmpty {
            console.complain("the archive has no record of \(PlainText.printable(id)) that can be read")
        }
        return lines.isEmpty ? .failure : .ok
    }

    // MARK: show

    func show(_ what: String, _ console: Console) async throws -> ExitCode {
        let (records, index) = try open()
        defer { close(records, index) }
        var found: [ArchiveRecords.Found] = []
        if let position = ArchivedPosition(what) {
            found = [try await records.record(of: position.partition, at: position.offset)].compactMap(\.self)
        } else {
            try await update(index, records, console)
            for place in try places(of: what, index).prefix(configuration[ArchiveOptions.limit]) {
                if let record = try await records.record(at: place) { found.append(record) }
            }
        }
        guard !found.isEmpty else {
            throw StartupError(
                "the archive has no record \(PlainText.printable(what))",
                fix: "Name it by a UUID, a transaction id, or TOPIC/PARTITION@OFFSET")
        }
        let reveals = configuration[ArchiveOptions.reveal]
        for record in found {
            if reveals {
                console.complain("revealed \(record.leaf.position) of the archive: personal data")
            }
            let report = ArchiveRecordReport(record, names: topicNames, reveals: reveals)
            switch configuration[OperationsSettings.output] {
            case .text: await console.write(report.text)
            case .json: await console.write(line: JSONValue.object(report.json).json)
            }
        }
        return .ok
    }

    // MARK: Parts

    private var topicNames: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    private func open() throws -> (ArchiveRecords, SideIndex) {
        let store = try ArchivePlace.openStore(configuration, creating: false)
        let keys = try KeyStore(
            path: configuration[ArchivePlace.keyStore],
            keys: KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys]), creation: .never)
        let index = try SideIndex(path: configuration[ArchivePlace.index], store: keys)
        return (ArchiveRecords(store: store, keys: keys), index)
    }

    private func close(_ records: ArchiveRecords, _ index: SideIndex) {
        index.close()
        records.keys.close()
    }

    private func update(_ index: SideIndex, _ records: ArchiveRecords, _ console: Console) async throws {
        _ = try await ArchiveIndexing(records: records, index: index).run { partition, done, of in
            console.complain("indexing \(partition): \(done) of \(of)")
        }
    }

    /// A UUID is a notification's or an account's, anything else a transaction's.
    private func places(of id: String, _ index: SideIndex) throws -> [IndexedPlace] {
        let kinds: [IndexedName.Kind] =
            UUIDBytes(text: id.utf8) != nil
            ? [.notificationUUID, .appAccountToken] : [.transactionId, .originalTransactionId]
        var seen: Set<IndexedPlace> = []
        return try kinds.flatMap { try index.places(of: IndexedName($0, id)) }.filter { seen.insert($0).inserted }
    }
}

/// A record as operators name it: `appstore.notifications.production/3@17`.
struct ArchivedPosition {
    let partition: KafkaTopicPartition
    let offset: KafkaOffset

    /// Nil unless all three are there.
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
