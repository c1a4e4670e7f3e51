internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records

/// One archive subject to which a decision applies.
struct ArchivePerson {
    let mark: SubjectMark
    let status: SubjectStatus
    /// The purchase's key, or a description of the records through which the subject was found.
    let name: String
}

/// The subjects selected by a command line, and the extent of the search for them.
struct ArchiveSelection {
    let persons: [ArchivePerson]
    /// The positions of the records that contain the selected identifier, or that mention a purchase found through that
    /// identifier.
    let places: Set<IndexedPlace>
    let extent: ArchiveExtent
}

/// Finds the subjects selected by a command line: a purchase, a person's purchases, or a record.
struct ArchivePersons {
    private let configuration: Configuration
    private let store: KeyStore
    private let environment: AppStoreEnvironment

    /// - Parameter environment: the environment of the purchases, or nil for the environment on the command line.
    init(configuration: Configuration, store: KeyStore, environment: AppStoreEnvironment? = nil) {
        self.configuration = configuration
        self.store = store
        self.environment = environment ?? configuration[ArchiveOptions.environment]
    }

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    /// Updates the index and finds every subject with a record that contains the identifier. Also finds records of
    /// other subjects that mention the same purchases: refunds with an unknown purchase, dead letters and quarantined
    /// records.
    ///
    /// - Throws: a ``StartupError`` if the command line does not contain exactly one selector, part of the archive
    ///   cannot be read, or no subject is found.
    func select(_ console: Console) async throws -> ArchiveSelection {
        let selector = try ArchiveSelector(configuration)
        let access = try ArchiveIndexAccess(configuration, keys: store)
        defer { access.index.close() }
        let extent = try await access.update(console)
        var places: Set<IndexedPlace>
        var own: ArchivePerson?
        var purchases: Set<OriginalTransactionId> = []
        let reader = ArchiveEntryReader(access.logs, access.contents)
        switch selector {
        case .purchase(let app, let purchase):
            let subject = ArchiveSubject(environment, app, purchase)
            own = try person(try store.mark(of: subject), named: subject.text)
            places = try self.places(of: IndexedName(.originalTransactionId, purchase.rawValue), access.index)
            purchases = [purchase]
        case .identifier(let name):
            places = try self.places(of: name, access.index)
            purchases = try await self.purchases(places, reader)
        case .position(let position):
            places = [try await place(of: position, reader)]
        }
        places.formUnion(try await mentions(of: purchases, access.index, reader))
        let persons = try persons(places, own)
        guard !persons.isEmpty else {
            throw StartupError(
                "no readable record in \(environment) has this identifier",
                fix: "Search with sluicectl archive find, or set --environment; \(extent.summary)")
        }
        return ArchiveSelection(persons: persons, places: places, extent: extent)
    }

    /// Removes the index entries for records whose keys have been destroyed.
    func forget(_ keys: [ArchiveKeyId]) throws {
        let index = try SideIndex(path: configuration[ArchivePlace.index], store: store)
        defer { index.close() }
        try index.remove(keys)
    }

    // MARK: Index positions

    /// Returns the positions of the records that contain an identifier, in the topics of the requested environment and
    /// in the topics shared by both environments.
    private func places(of name: IndexedName, _ index: SideIndex) throws -> Set<IndexedPlace> {
        Set(
            try index.places(of: name).filter { place in
                let environment = ArchivedTopic(place.partition.topic, names: names)?.environment
                return environment == nil || environment == self.environment
            })
    }

    private func place(of position: ArchivedPosition, _ reader: ArchiveEntryReader) async throws -> IndexedPlace {
        guard let entry = try await reader.entry(of: position.partition, at: position.offset) else {
            throw StartupError(
                "the archive does not contain record \(position.partition)@\(position.offset)",
                setting: ArchiveOptions.position.key, fix: "Search with sluicectl archive find or status")
        }
        guard let key = entry.keyId else {
            throw StartupError(
                "\(entry.leaf.position) does not concern a person, or was archived after the person's erasure",
                setting: ArchiveOptions.position.key, fix: "Specify a different record")
        }
        return IndexedPlace(partition: position.partition, leaf: entry.index, key: key)
    }

    /// Returns the purchases that are subjects of these records, excluding purchases that are only mentioned.
    private func purchases(
        _ places: Set<IndexedPlace>, _ reader: ArchiveEntryReader
    ) async throws -> Set<OriginalTransactionId> {
        Set(try await subjects(of: places, reader).compactMap(\.purchase))
    }

    /// Returns the positions of additional records about these purchases, found by purchase id and by each transaction
    /// id.
    private func mentions(
        of purchases: Set<OriginalTransactionId>, _ index: SideIndex, _ reader: ArchiveEntryReader
    ) async throws -> Set<IndexedPlace> {
        var places: Set<IndexedPlace> = []
        for purchase in purchases {
            places.formUnion(try self.places(of: IndexedName(.originalTransactionId, purchase.rawValue), index))
        }
        // A version 1 body also mentions other purchases; skip their transactions.
        let transactions = try await subjects(of: places, reader)
            .filter { $0.purchase.map(purchases.contains) ?? false }.compactMap(\.transaction)
        for transaction in Set(transactions) {
            places.formUnion(try self.places(of: IndexedName(.transactionId, transaction.rawValue), index))
        }
        return places
    }

    private func subjects(
        of places: Set<IndexedPlace>, _ reader: ArchiveEntryReader
    ) async throws -> Set<RecordPurchase> {
        var subjects: Set<RecordPurchase> = []
        for place in places.sorted() {
            guard let entry = try await reader.entry(at: place), case .record(let record) = entry.content,
                let subject = RecordPurchase(of: record, kind: entry.leaf.position.kind)
            else { continue }
            subjects.insert(subject)
        }
        return subjects
    }

    // MARK: Persons

    private func persons(_ places: Set<IndexedPlace>, _ own: ArchivePerson?) throws -> [ArchivePerson] {
        var byMark: [SubjectMark: [IndexedPlace]] = [:]
        for place in places {
            guard let key = place.key, let mark = try store.mark(ofKey: key) else { continue }
            byMark[mark, default: []].append(place)
        }
        let found = try byMark.sorted { $0.key.hex < $1.key.hex }.filter { $0.key != own?.mark }.map { mark, places in
            let logs = Set(places.map(\.partition.topic.rawValue)).sorted().joined(separator: ", ")
            return try person(mark, named: "\(places.count) records in \(logs)")
        }
        return [own].compactMap(\.self) + found
    }

    private func person(_ mark: SubjectMark, named name: String) throws -> ArchivePerson {
        ArchivePerson(mark: mark, status: try store.status(of: mark), name: name)
    }
}
