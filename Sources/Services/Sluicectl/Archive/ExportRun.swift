internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import Kafka
internal import Lifecycle
internal import Records
internal import TransparencyLog

/// One export: selects the entries to write as rows, and counts the results.
final class ExportRun {
    /// The filter, or nil to select every entry.
    let filter: ArchiveFilter?
    private let format: ExportFormat
    private let names: TopicNames
    private let certificates: CertificateDirectory
    private let output: ExportOutput
    private let interruption: Interruption
    private var logs: [KafkaTopicPartition: ExportedLog] = [:]
    private var counts: [String: Int] = [:]
    private var problems: [String: Int] = [:]
    private var notRebuilt = 0
    private var isOpen = true

    init(
        filter: ArchiveFilter?, format: ExportFormat, names: TopicNames, certificates: CertificateDirectory,
        output: ExportOutput, interruption: Interruption
    ) {
        self.filter = filter
        self.format = format
        self.names = names
        self.certificates = certificates
        self.output = output
        self.interruption = interruption
    }

    /// The problems that make an export incomplete. Erased payloads, and payloads past their retention period, are
    /// expected.
    private static let lossProblems = ["key_unknown", "unreadable", "missing"]

    /// Whether the output is open and the export was not interrupted.
    var goesOn: Bool { isOpen && !interruption.isRequested }

    func begin() async throws(StartupError) {
        if format == .csv { isOpen = try await output.write(Array(ExportedEntry.csvHead.utf8)) }
    }

    /// Records the checkpoint that covers an exported log.
    func add(_ scan: ArchiveScan) {
        let partition = scan.reader.names.partition
        guard logs[partition] == nil, let checkpoint = scan.checkpoint else { return }
        logs[partition] = ExportedLog(
            tree: ExportedTree(origin: checkpoint.checkpoint.origin, size: scan.size),
            root: checkpoint.checkpoint.root.base64, checkpoint: String(decoding: checkpoint.note.bytes, as: UTF8.self))
    }

    /// Writes an entry if it matches the filter.
    ///
    /// - Returns: whether to continue.
    func take(_ entry: ReadEntry, of scan: ArchiveScan) async throws -> Bool {
        add(scan)
        guard let log = logs[entry.partition] else { return goesOn }
        let exported = ExportedEntry(entry, log.tree, names: names, certificates: certificates)
        if let filter, filter.asksForContent {
            // An unreadable record has no app or type, so it is not exported, but it may be one of the selected
            // records.
            if let problem = exported.problem, exported.isNotification, Self.lossProblems.contains(problem) {
                problems[problem, default: 0] += 1
            }
            guard exported.problem == nil, filter.wants(app: exported.app, type: exported.type) else { return goesOn }
        }
        if let problem = exported.problem {
            problems[problem, default: 0] += 1
        } else {
            counts[exported.isNotification ? "notifications" : "other records", default: 0] += 1
            if exported.rebuildProblem != nil { notRebuilt += 1 }
        }
        logs[entry.partition]?.rows += 1
        isOpen =
            switch format {
            case .jsonl: try await output.write(row: exported.json + [UInt8(ascii: "\n")])
            case .csv: try await output.write(row: Array(exported.csv.utf8))
            }
        return goesOn
    }

    /// Writes the manifest, prints a summary, and warns if the export is incomplete or payloads are missing.
    func finish(_ extent: ArchiveExtent?, at milliseconds: Int64, _ console: Console) throws -> ExitCode {
        var parts = ["\(counts["notifications"] ?? 0) notifications"]
        if let others = counts["other records"] { parts.append("\(others) other records") }
        parts += problems.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if notRebuilt > 0 { parts.append("\(notRebuilt) whose signed form cannot be rebuilt") }
        console.complain(parts.joined(separator: ", "))
        if interruption.isRequested { console.complain("interrupted: the export is incomplete") }
        if problems["missing"] != nil {
            console.complain(
                "payloads were removed before their retention period ended; find the first with: sluicectl archive verify"
            )
        }
        if let warning = extent?.warning { console.complain(warning) }
        let isReadable =
            Self.lossProblems.allSatisfy { problems[$0] == nil } && notRebuilt == 0 && !interruption.isRequested
            && extent?.warning == nil
        try output.finish(
            logs.values.sorted { $0.tree.origin < $1.tree.origin },
            at: AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description,
            isComplete: isReadable && isOpen)
        if problems["missing"] != nil { return .archiveTampered }
        return isReadable ? .ok : .failure
    }
}
