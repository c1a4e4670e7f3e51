internal import AppStoreModel
internal import ArchiveConfiguration
internal import ArchiveFormat
internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records
internal import Time

/// `sluicectl archive export`: the archived notifications as they were received; with `--all-topics` everything, and with an
/// identifier everything about one person.
struct ArchiveExportCommand {
    let configuration: Configuration
    let interruption: Interruption
    let clocks: Clocks

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }
    private var isOfSubject: Bool { ArchiveSelector.isGiven(configuration) }

    func run(_ console: Console) async throws -> ExitCode {
        let logs = try ArchiveLogs(configuration)
        let contents = try await ArchivedContents(configuration, logs)
        defer { contents.close() }
        let run = ExportRun(
            filter: isOfSubject ? nil : ArchiveFilter(configuration),
            format: configuration[ArchiveReadingOptions.format],
            names: names, certificates: try await certificates(logs, contents),
            output: try ExportOutput(
                console, directory: configuration[ArchiveReadingOptions.toDirectory],
                format: configuration[ArchiveReadingOptions.format]),
            interruption: interruption)
        try await run.begin()
        let progress = ArchiveProgress.onTerminal(clocks)
        defer { progress?.end() }
        var extent: ArchiveExtent?
        if isOfSubject {
            extent = try await exportSubject(run, logs, contents, console)
        } else {
            for reader in try await readers(logs) where run.goesOn {
                try await export(try await reader.scan(logs, progress), contents, run)
            }
        }
        return try run.finish(extent, at: clocks.wallMilliseconds(), console)
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
        // A log without a wanted row is a part of the answer too.
        run.add(scan)
    }

    /// Everything about the subjects that the command line names, in the order of the logs.
    private func exportSubject(
        _ run: ExportRun, _ logs: ArchiveLogs, _ contents: ArchivedContents, _ console: Console
    ) async throws -> ArchiveExtent {
        let selection = try await ArchivePersons(
            configuration: configuration, store: contents.keys,
            environment: configuration[ArchiveReadingOptions.environment] ?? .production
        ).select(console)
        let index = try SideIndex(path: configuration[ArchivePlace.index], store: contents.keys)
        defer { index.close() }
        var places = selection.places
        for key in Set(selection.persons.flatMap(\.status.keys) + places.compactMap(\.key)) {
            places.formUnion(try index.places(ofKey: key))
        }
        let reader = ArchiveEntryReader(logs, contents)
        for place in places.sorted() where run.goesOn {
            guard let entry = try await reader.entry(at: place) else { continue }
            _ = try await run.take(entry, of: try await reader.scan(of: place.partition))
        }
        return selection.extent
    }

    /// Apple's certificates as they were archived, which the records name.
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
