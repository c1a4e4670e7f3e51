internal import AppStoreModel
internal import ArchiveFormat
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records
internal import Time

/// `sluicectl archive export`: the archived notifications as they were received.
struct ArchiveExportCommand {
    let configuration: Configuration
    let interruption: Interruption
    let clocks: Clocks

    private final class Counts {
        var notifications = 0
        var problems: [String: Int] = [:]
        var notRebuilt = 0
        var isOpen = true
    }

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    func run(_ console: Console) async throws -> ExitCode {
        let logs = try ArchiveLogs(configuration)
        let environments =
            configuration[ArchiveReadingOptions.environment].map { [$0] } ?? AppStoreEnvironment.published
        let topics = environments.map(names.notifications)
        let readers = try await logs.readers { topics.contains($0) }
        let contents = try await ArchivedContents(configuration, logs)
        defer { contents.close() }
        let certificates = try await certificates(logs, contents)
        let counts = Counts()
        if configuration[ArchiveReadingOptions.format] == .csv {
            counts.isOpen = await console.write(ExportedNotification.csvHead)
        }
        let progress = ArchiveProgress.onTerminal(clocks)
        defer { progress?.end() }
        for reader in readers where counts.isOpen && !interruption.isRequested {
            try await export(reader, logs, contents, certificates, counts, console, progress)
        }
        return finish(counts, console)
    }

    private func export(
        _ reader: LogReader, _ logs: ArchiveLogs, _ contents: ArchivedContents, _ certificates: CertificateDirectory,
        _ counts: Counts, _ console: Console, _ progress: ArchiveProgress?
    ) async throws {
        let filter = ArchiveFilter(configuration)
        let format = configuration[ArchiveReadingOptions.format]
        _ = try await reader.scan(logs, progress).run(
            where: { $0.position.kind == .notification && filter.mayWant($0) },
            take: { entry in
                let content = try contents.content(of: entry)
                let notification = ExportedNotification(entry, content, certificates: certificates)
                if let problem = notification.problem {
                    // Whose it was, and of which type, is not known any more.
                    guard !filter.asksForContent else { return !interruption.isRequested }
                    counts.problems[problem, default: 0] += 1
                } else {
                    guard filter.wants(app: notification.app, type: notification.type) else {
                        return !interruption.isRequested
                    }
                    counts.notifications += 1
                    if notification.rebuildProblem != nil { counts.notRebuilt += 1 }
                }
                counts.isOpen =
                    switch format {
                    case .jsonl: await console.write(line: notification.json)
                    case .csv: await console.write(notification.csv)
                    }
                return counts.isOpen && !interruption.isRequested
            })
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

    private func finish(_ counts: Counts, _ console: Console) -> ExitCode {
        var parts = ["\(counts.notifications) notifications"]
        parts += counts.problems.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if counts.notRebuilt > 0 { parts.append("\(counts.notRebuilt) whose signed form cannot be rebuilt") }
        console.complain(parts.joined(separator: ", "))
        if interruption.isRequested { console.complain("interrupted: this is not all") }
        // What was erased, or whose time is over, is as it should be.
        let isComplete =
            counts.problems["key_unknown"] == nil && counts.problems["unreadable"] == nil && counts.notRebuilt == 0
        return isComplete && !interruption.isRequested ? .ok : .failure
    }
}
