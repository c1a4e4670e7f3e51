internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Glibc
internal import JSON
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import Primitives
internal import Records
internal import TransparencyLog

/// `sluicectl archive verify`: recomputes the archive's logs from the stored files.
struct ArchiveVerifyCommand {
    let configuration: Configuration
    let source: SluicectlParts.Verification
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration
    let publishing: RecordPublishing

    /// - Parameter logs: topics or `<topic>/<partition>`, or empty for all logs.
    func run(_ logs: [String], _ console: Console) async throws -> ExitCode {
        let inputs = ArchiveInputs(configuration: configuration, timeout: timeout)
        let retention = try retention(logs)
        guard !configuration[ArchiveProofOptions.payloads] || !configuration[ArchiveProofOptions.treeOnly] else {
            throw StartupError(
                "--payloads and --tree-only are mutually exclusive", setting: ArchiveProofOptions.treeOnly.key,
                fix: "Omit one of them", exitCode: .usage)
        }
        let store = try inputs.store()
        var options = VerificationOptions(verifiers: try await inputs.verifiersOrUnsigned())
        options.anchors = try await inputs.anchors(options.verifiers)
        options.witnesses = try await inputs.witnesses(options.verifiers)
        let earlier = try await inputs.savedVerification(options.verifiers)
        options.verifiedBefore = earlier.map { AnchoredCheckpoints($0.checkpoints, verifiers: options.verifiers) }
        options.since = configuration[ArchiveProofOptions.from]?.millisecondsSince1970
        options.checksObjects = !configuration[ArchiveProofOptions.treeOnly]
        if configuration[ArchiveProofOptions.payloads] {
            options.topicsReadCompletely = ArchivePayloads.referenceTopics(topicNames)
        }
        let progress = ArchiveProgress.onTerminal(clocks)
        options.progress = progress?.show
        var keys: KeyStore?
        defer { keys?.close() }
        do {
            if configuration[ArchiveProofOptions.payloads] {
                let opened = try ArchiveProofOptions.openKeys(configuration)
                keys = opened
                options.inspect = try await payloads(opened, store, options)
            }
            let verification = ArchiveVerification(store, options: options)
            // The statements about payloads rest on the reference logs, so these are verified even if they are not
            // requested.
            let references = options.topicsReadCompletely
            let report = try await verification.run(
                isWanted: logs.isEmpty ? nil : { references.contains($0.topic) || Self.isWanted($0, logs) })
            progress?.end()
            try checkPresence(report, logs)
            let kafka = try await compareWithKafka(report, store, options)
            let deletions = try await compareWithRetention(retention, report, store, options)
            let printed = ArchiveVerifyReport(
                report, kafka: kafka, retention: deletions, options: options,
                hasComparedPayloadsBefore: earlier?.hasComparedPayloads ?? true)
            await console.write(configuration, text: printed.text, json: printed.json)
            if printed.verdict == nil {
                try save(
                    SavedVerification(report.checkpoints, hasComparedPayloads: printed.hasComparedAllPayloads))
            }
            await publish(printed.findings, console)
            return ExitCode(printed.verdict)
        } catch let error as ArchiveError where error.isReadFailure {
            progress?.end()
            throw StartupError(
                "\(error)", setting: ArchivePlace.url.key, fix: "Check that the setting points to the archive",
                exitCode: ExitCode(error))
        }
    }

    /// Returns the `--retention` value in milliseconds, against which deletions are checked, or nil if deletions are
    /// not checked.
    ///
    /// - Throws: a ``StartupError`` if the run does not cover all payloads and all logs.
    private func retention(_ logs: [String]) throws(StartupError) -> Int64? {
        guard let retention = configuration[ArchiveProofOptions.retention] else { return nil }
        guard logs.isEmpty, !configuration[ArchiveProofOptions.treeOnly],
            configuration[ArchiveProofOptions.from] == nil, configuration[ArchiveProofOptions.resumeFrom] == nil
        else {
            throw StartupError(
                "deletions can be checked against --retention only if all logs and payloads are verified",
                setting: ArchiveProofOptions.retention.key,
                fix: "Omit LOG, --tree-only, --from and --resume-from", exitCode: .usage)
        }
        return retention.clampedMilliseconds
    }

    private func compareWithRetention(
        _ retention: Int64?, _ report: ArchiveReport, _ store: any ObjectStore, _ options: VerificationOptions
    ) async throws(ArchiveError) -> RetentionComparison? {
        guard let retention else { return nil }
        let topic = topicNames.erasures
        let readers = report.logs.filter { $0.log.partition.topic == topic }.map {
            LogReader(store, names: $0.log, verifiers: options.verifiers)
        }
        return try await RetentionComparison(report, retention: retention, erasures: readers)
    }

    /// Publishes the findings. A failure does not change the verification result.
    private func publish(_ findings: [Finding], _ console: Console) async {
        let events = FindingEvents(
            configuration: configuration, clocks: clocks, timeout: timeout, publishing: publishing)
        do {
            try await events.publish(findings)
        } catch {
            let problem = (error as? StartupError)?.problem ?? "\(error)"
            console.complain("the findings were not published as operator events: \(PlainText.printable(problem))")
        }
    }

    /// Saves the checkpoints for the next run, by replacing the file atomically.
    private func save(_ verification: SavedVerification) throws {
        guard let path = configuration[ArchiveProofOptions.save] else { return }
        let isWritten = (try? FileDescriptor(replacing: path + ".new").write(verification.bytes)) != nil
        guard isWritten, rename(path + ".new", path) == 0 else {
            throw StartupError(
                "\(PlainText.printable(path)) cannot be written", setting: ArchiveProofOptions.save.key,
                fix: "Specify a different file")
        }
    }

    /// Checks that the archive has at least one log, and that every requested log exists. Ignores logs that the report
    /// already lists as missing because an external checkpoint exists for them.
    private func checkPresence(_ report: ArchiveReport, _ wanted: [String]) throws(ArchiveError) {
        let known = report.logs.map(\.log.partition) + report.missing.map(\.log)
        let absent = wanted.first { text in !known.contains { Self.isWanted($0, [text]) } }
        guard known.isEmpty || absent != nil else { return }
        let what = absent.map { "no log \(PlainText.printable($0))" } ?? "no log"
        throw ArchiveError(.storage, "there is \(what) in \(configuration[ArchivePlace.url])")
    }

    private var topicNames: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    private static func isWanted(_ log: KafkaTopicPartition, _ wanted: [String]) -> Bool {
        wanted.contains { $0 == log.topic.rawValue || $0 == "\(log.topic)/\(log.partition)" }
    }

    private func payloads(
        _ keys: KeyStore, _ store: any ObjectStore, _ options: VerificationOptions
    ) async throws -> @Sendable (InspectedObject) async -> InspectionOutcome {
        let payloads = ArchivePayloads(
            keys: keys, names: topicNames, roots: try source.roots(configuration),
            apps: try source.apps(configuration))
        try await payloads.readReferences(
            LogReader.logs(in: store).map { LogReader(store, names: $0, verifiers: options.verifiers) })
        return payloads.inspect
    }

    private func compareWithKafka(
        _ report: ArchiveReport, _ store: any ObjectStore, _ options: VerificationOptions
    ) async throws -> KafkaComparison? {
        guard configuration[ArchiveProofOptions.againstKafka] else { return nil }
        var comparison = KafkaComparison()
        try await Brokers.connected(configuration, timeout) { admin, kafka in
            for (topic, logs) in Dictionary(grouping: report.logs, by: \.log.partition.topic) {
                let scan: TopicScan
                do {
                    scan = try await TopicScan(topic, of: admin, with: kafka)
                } catch is StartupError {
                    comparison.absent.append(topic)
                    continue
                }
                for log in logs {
                    try await comparison.compare(
                        log, LogReader(store, names: log.log, verifiers: options.verifiers), scan)
                }
            }
        }
        return comparison
    }
}
