internal import AppStoreModel
internal import ArchiveConfiguration
internal import ArchiveFormat
internal import ArchiveKeys
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records

/// One subject of the archive that a decision is about.
struct ArchivePerson {
    let mark: SubjectMark
    let status: SubjectStatus
    /// How it was found: the key of a purchase, or the records that name it.
    let name: String
}

/// Whom a command line names: a purchase, or the purchases of an account.
struct ArchivePersons {
    let configuration: Configuration
    let store: KeyStore

    /// The purchase itself, and whatever else the index has under the same identifier, such as a refund whose purchase was
    /// not known when it was archived.
    ///
    /// - Throws: a ``StartupError`` when the command line names nobody, or the index does not know the account.
    func all() throws -> [ArchivePerson] {
        let purchase = configuration[ArchiveOptions.originalTransactionId]
        let account = configuration[ArchiveOptions.appAccountToken]
        switch (purchase, account) {
        case (let purchase?, nil):
            guard let app = configuration[ArchiveOptions.app] else {
                throw StartupError(
                    "a purchase is one of an app", setting: ArchiveOptions.app.key, fix: "Give --app BUNDLE",
                    exitCode: .usage)
            }
            let subject = ArchiveSubject(
                configuration[ArchiveOptions.environment], BundleId(app), OriginalTransactionId(purchase))
            let own = try person(try store.mark(of: subject), named: subject.text)
            return [own] + (try indexed(IndexedName(.originalTransactionId, purchase))).filter { $0.mark != own.mark }
        case (nil, let account?):
            let found = try indexed(IndexedName(.appAccountToken, account))
            guard !found.isEmpty else {
                throw StartupError(
                    "the index knows no record of this account in \(configuration[ArchiveOptions.environment])",
                    setting: ArchivePlace.index.key,
                    fix: "Bring it up to date with: sluicectl archive find \(PlainText.printable(account))")
            }
            return found
        default:
            throw StartupError(
                "either a purchase or an account is needed", setting: ArchiveOptions.originalTransactionId.key,
                fix: "Give --original-transaction-id ID with --app BUNDLE, or --app-account-token UUID",
                exitCode: .usage)
        }
    }

    /// Removes what the index says of records whose keys are destroyed.
    func forget(_ keys: [ArchiveKeyId]) throws {
        guard let index = try index() else { return }
        defer { index.close() }
        try index.remove(keys)
    }

    /// The subjects of the records that the index has under a name, in the environment that is asked for.
    private func indexed(_ name: IndexedName) throws -> [ArchivePerson] {
        guard let index = try index() else { return [] }
        defer { index.close() }
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        var places: [SubjectMark: [IndexedPlace]] = [:]
        for place in try index.places(of: name) {
            let environment = ArchivedTopic(place.partition.topic, names: names)?.environment
            guard environment == nil || environment == configuration[ArchiveOptions.environment], let key = place.key,
                let mark = try store.mark(ofKey: key)
            else { continue }
            places[mark, default: []].append(place)
        }
        return try places.sorted { $0.key.hex < $1.key.hex }.map { mark, places in
            let logs = Set(places.map(\.partition.topic.rawValue)).sorted().joined(separator: ", ")
            return try person(mark, named: "\(places.count) records of \(logs)")
        }
    }

    private func person(_ mark: SubjectMark, named name: String) throws -> ArchivePerson {
        ArchivePerson(mark: mark, status: try store.status(of: mark), name: name)
    }

    /// Nil where no index was ever made.
    private func index() throws -> SideIndex? {
        let path = configuration[ArchivePlace.index]
        guard ArchiveIndexFile.exists(path) else { return nil }
        return try SideIndex(path: path, store: store)
    }
}
