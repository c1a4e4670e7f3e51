internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records

/// `sluicectl archive export`: exports the archived notifications as received; with `--all-topics`, all records; with
/// an identifier, everything about one person.
struct ArchiveExportCommand {
    let configuration: Configuration
    let interruption: Interruption
    let clocks: Clocks
    let reveals: ArchiveReveals

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }
    private var isOfSubject: Bool { ArchiveSelector.isGiven(configuration) }

    func run(_ console: Console) async throws -> ExitCode {
        try reveals.requireAuthor()
        let logs = try ArchiveLogs(configuration)
        let contents = try await ArchivedContents(configuration, logs)
        defer { contents.close() }
        let run = ExportRun(
            filter: isOfSubject ? nil : ArchiveFilter(configuration),
            format: configuration[ArchiveReadingOptions.format],
            names: names, certificates: try await certificates(logs, contents),
            output: try ExportOutput(
                console, directory: configuration[ArchiveReadingOptions.outputDirectory],
                format: configuration[ArchiveReadingOptions.format]),
            interruption: interruption)
        let selection = isOfSubject ? try await selectSubjects(contents, console) : nil
        if let selection {
            try await reveals.record(
                .export, subjects: Set(selection.persons.map(\.mark)), marks: contents.keys.marksId,
                positions: try await positions(selection, logs, contents))
        } else {
            try await reveals.record(.export, scope: scope, marks: contents.keys.marksId)
        }
        try await run.begin()
        let progress = ArchiveProgress.onTerminal(clocks)
        defer { progress?.end() }
        if let selection {
            try await exportSubject(selection, run, logs, contents)
        } else {
            for reader in try await readers(logs) where run.goesOn {
                try await export(try await reader.scan(logs, progress), contents, run)
            }
        }
        return try run.finish(selection?.extent, at: clocks.wallMilliseconds(), console)
    }

    private func readers(_ logs: ArchiveLogs) async throws -> [LogReader] {
        guard !configuration[ArchiveReadingOptions.allTopics] else { return try await logs.readers { _ in true } }
        let environments =
            configuration[ArchiveReadingOptions.environment].map { [$0] } ?? AppStoreEnvironment.published
        let topics = environments.map(names.notifications)
        return try await logs.readers { topics.contains($0) }
    }

    private func export(_ scan: ArchiveScan, _ contents: ArchivedContents, _ run: ExportRun) async throws {
        let all = configuration[ArchiveReadingOptions.allTopics]
        _ = try await scan.run(
            where: { (all || $0.position.kind == .notification) && run.filter?.mayWant($0) ?? true },
            take: { entry in
                try await run.take(try contents.read(entry, of: scan.reader.names.partition), of: scan)
            })
        // Add the log even if no record matches, so that the manifest shows that it was searched.
        run.add(scan)
    }

    /// The selection for an export without a subject: topics and filters that do not identify a person.
    private var scope: String {
        var parts = [configuration[ArchiveReadingOptions.allTopics] ? "all topics" : "notifications"]
        if let environment = configuration[ArchiveReadingOptions.environment] { parts.append("\(environment)") }
        if let from = configuration[ArchiveReadingOptions.from] { parts.append("since \(from)") }
        if let to = configuration[ArchiveReadingOptions.to] { parts.append("until \(to)") }
        if let app = configuration[ArchiveReadingOptions.app] { parts.append("app \(app)") }
        if let type = configuration[ArchiveReadingOptions.type] { parts.append("type \(type)") }
        return parts.joined(separator: ", ")
    }

    private func selectSubjects(_ contents: ArchivedContents, _ console: Console) async throws -> ArchiveSelection {
        try await ArchivePersons(
            configuration: configuration, store: contents.keys,
            environment: configuration[ArchiveReadingOptions.environment] ?? .production
        ).select(console)
    }

    /// Returns the positions of all records about the subjects, sorted by log.
    private func places(_ selection: ArchiveSelection, _ contents: ArchivedContents) throws -> [IndexedPlace] {
        let index = try SideIndex(path: configuration[ArchivePlace.index], store: contents.keys)
        defer { index.close() }
        var places = selection.places
        for key in Set(selection.persons.flatMap(\.status.keys) + places.compactMap(\.key)) {
            places.formUnion(try index.places(ofKey: key))
        }
        return places.sorted()
    }

    /// Returns the position of each exported record, for the published access record. That record lists only the first
    /// `RevealRecord.maximumPositions`, so the offsets of further records are not looked up.
    private func positions(
        _ selection: ArchiveSelection, _ logs: ArchiveLogs, _ contents: ArchivedContents
    ) async throws -> [String] {
        let places = try places(selection, contents)
        let reader = ArchiveEntryReader(logs, contents)
        var positions: [String] = []
        for place in places.prefix(RevealRecord.maximumPositions) {
            if let entry = try await reader.entry(at: place) { positions.append(ArchivedPosition(entry).text) }
        }
        return positions + places.dropFirst(RevealRecord.maximumPositions).map { "\($0.partition) leaf \($0.leaf)" }
    }

    private func exportSubject(
        _ selection: ArchiveSelection, _ run: ExportRun, _ logs: ArchiveLogs, _ contents: ArchivedContents
    ) async throws {
        let reader = ArchiveEntryReader(logs, contents)
        for place in try places(selection, contents) where run.goesOn {
            guard let entry = try await reader.entry(at: place) else { continue }
            _ = try await run.take(entry, of: try await reader.scan(of: place.partition))
        }
    }

    /// Reads the archived copies of Apple's certificates, which the records reference.
    private func certificates(
        _ logs: ArchiveLogs, _ contents: ArchivedContents
    ) async throws -> CertificateDirectory {
        let directory = CertificateDirectory()
        for log in try await logs.all() where log.names.partition.topic == names.certificates {
            _ = try await log.scan(logs).run(
                where: { $0.position.kind == .certificate },
                take: { entry in
                    if case .record(let record) = try contents.content(of: entry) { directory.take([record]) }
                    return true
                })
        }
        return directory
    }
}
