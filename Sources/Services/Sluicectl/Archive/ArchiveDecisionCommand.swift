internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records

/// `sluicectl archive erase`, `hold` and `release`: publish the decision and apply it to this host's key store.
struct ArchiveDecisionCommand {
    typealias Action = ErasureRecord.Action

    let action: Action
    let configuration: Configuration
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration

    func run(_ console: Console) async throws -> ExitCode {
        let store = try openStore()
        defer { store.close() }
        let persons = ArchivePersons(configuration: configuration, store: store)
        let selection = try await persons.select(console)
        let all = selection.persons
        try refuseHeld(all)
        let now = try time(of: selection.extent)
        guard configuration[OperationsSettings.yes] else {
            await report(
                all.map { ArchiveDecisionReport.Line($0, outcome: nil) }, selection.extent, at: nil, console)
            console.complain("nothing was changed; add --yes")
            return selection.extent.exitCode(console)
        }
        let author = try ArchiveAuthor.name(configuration)
        let records = all.map { person in
            ErasureRecord(
                action: action, subject: person.mark, marks: store.marksId,
                keys: action == .erase ? person.status.keys : [],
                reason: configuration[ArchiveOptions.reason], request: configuration[ArchiveOptions.request] ?? "",
                author: author, requestedAt: now)
        }
        try check(records)
        // A release also applies an erasure that waited for the end of the hold. A record must name each key that it
        // destroys.
        let named = try records.compactMap { try store.record(namingKeysOf: $0) }
        // Publish the decision first, to the topic that the archive reads on every host. If this command then fails,
        // this host's archive member still applies the decision.
        try await publish(named + records)
        let outcomes = try Self.apply(records, store)
        let destroyed = outcomes.flatMap(\.destroyedKeys)
        try persons.forget(destroyed)
        await report(
            zip(all, outcomes).map { ArchiveDecisionReport.Line($0, outcome: $1) }, selection.extent,
            at: action == .erase ? now : nil, console)
        return selection.extent.exitCode(console)
    }

    /// Returns the time of a decision. For an erasure, this is the end of the period that it covers.
    private func time(of extent: ArchiveExtent) throws(StartupError) -> AppStoreInstant {
        let now = clocks.wallMilliseconds()
        guard action == .erase else { return AppStoreInstant(clampingMillisecondsSince1970: now) }
        return try ErasureCoverage.end(configuration, now: now, newest: extent.newestTimestamp)
    }

    private func openStore() throws -> KeyStore {
        try KeyStore(
            path: configuration[ArchivePlace.keyStore],
            keys: KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys]), creation: .never)
    }

    private func refuseHeld(_ persons: [ArchivePerson]) throws(StartupError) {
        guard action == .erase, let hold = persons.lazy.compactMap(\.status.hold).first else { return }
        let since = AppStoreInstant(clampingMillisecondsSince1970: hold.sinceMilliseconds)
        let request = hold.request.isEmpty ? "" : " (\(PlainText.printable(hold.request)))"
        throw StartupError(
            "a legal hold has applied since \(PlainText.seconds(since)): \(PlainText.printable(hold.reason))\(request)",
            fix: "End the hold first with: sluicectl archive release")
    }

    /// Refuses records that the topic's readers would refuse.
    private func check(_ records: [ErasureRecord]) throws(StartupError) {
        for record in records {
            do throws(ArchiveError) {
                _ = try ErasureRecord(json: record.jsonText)
            } catch {
                throw StartupError(
                    "--reason, --request and --author may each be at most \(ErasureRecord.maximumTextBytes) bytes long",
                    fix: "Shorten them", exitCode: .usage)
            }
        }
    }

    private func publish(_ records: [ErasureRecord]) async throws {
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).erasures
        try await RecordPublishing.kafka.publish(records.map { $0.produced(to: topic) }, configuration, timeout)
    }

    /// Applies the records. Tries twice to overwrite the destroyed keys, because another process may be reading the key
    /// store. A decision that was already applied is included, because the run that applied it may not have overwritten
    /// them.
    static func apply(_ records: [ErasureRecord], _ store: KeyStore) throws(ArchiveError) -> [ErasureOutcome] {
        let outcomes = try store.apply(records, overwritesLog: false)
        let isLogDue = outcomes.contains { outcome in
            switch outcome {
            case .destroyed, .alreadyDone: true
            case .held, .holdBegun, .holdEnded: false
            }
        }
        guard isLogDue else { return outcomes }
        do throws(ArchiveError) {
            try store.overwriteLog()
        } catch {
            guard error.code == .notOverwritten else { throw error }
            try store.overwriteLog()
        }
        return outcomes
    }

    private func report(
        _ lines: [ArchiveDecisionReport.Line], _ extent: ArchiveExtent, at: AppStoreInstant?, _ console: Console
    ) async {
        let report = ArchiveDecisionReport(
            action: action, lines: lines, extent: extent, at: at,
            backupDays: action == .erase ? configuration[ArchiveOptions.backupDays] : 0)
        await console.write(configuration, text: report.text, json: report.json)
    }
}

extension ArchiveDecisionCommand {
    init(_ action: Action, _ context: CommandContext) {
        self.init(
            action: action, configuration: context.configuration, clocks: context.clocks, timeout: context.timeout)
    }
}
