internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// `sluicectl state rekey`: copies a state topic, key by key, to a topic with a different number of partitions.
///
/// All records for a key are copied in order, so members that restore from the copy compute the same state as from the
/// source. The source topic is not changed.
struct RekeyCommand {
    let configuration: Configuration
    let timeout: Duration

    private var source: KafkaTopic { KafkaTopic(rawValue: configuration[OperationsSettings.stateSource]) }
    private var target: KafkaTopic { KafkaTopic(rawValue: configuration[OperationsSettings.stateTarget]) }
    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    func run(_ console: Console) async throws -> ExitCode {
        guard source != target else {
            throw StartupError(
                "a topic cannot be copied to itself", setting: "--to-topic", fix: "Specify a different topic",
                exitCode: .usage)
        }
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { admin in
            let isEmbedded = try await brokers.isEmbedded(admin)
            let kafka = try brokers.readerConfiguration(isEmbedded: isEmbedded)
            return try await run(admin, kafka, isEmbedded: isEmbedded, console)
        }
    }

    private func run(
        _ admin: KafkaAdmin, _ kafka: KafkaConfiguration, isEmbedded: Bool, _ console: Console
    ) async throws -> ExitCode {
        let scan = try await TopicScan(source, of: admin, with: kafka)
        let layout = RekeyLayout(
            source: source, sourcePartitions: Int32(clamping: scan.watermarks.count), target: target,
            targetPartitions: Int32(
                clamping: try await TopicScan(target, of: admin, with: kafka).watermarks.count))
        try await refuseSettings(admin)
        try await refuseMembers(admin, isEmbedded: isEmbedded)

        let rows = try await read(scan, layout)
        let before = try await comparison(rows, layout, admin, kafka)
        try refuseForeign(before)
        var report = RekeyReport(layout: layout, rows: rows, missing: before.missing.count)
        guard configuration[OperationsSettings.yes], !before.missing.isEmpty else {
            await print(report, console)
            guard before.missing.isEmpty else {
                throw StartupError("nothing was changed", fix: "Run the command again with --yes")
            }
            return .ok
        }
        let producer = try KafkaProducer(kafka, topics: [target])
        do {
            report.copied = try await StateCopy(layout: layout, source: rows, keys: before.missing, producer: producer)
                .run(scan)
        } catch {
            await producer.close(within: .seconds(1))
            throw error
        }
        await producer.close(within: .seconds(5))

        let after = try await comparison(rows, layout, admin, kafka)
        report.missing = after.missing.count
        let difference = try await difference(after, scan, admin, kafka)
        report.isRefused = difference != nil
        await print(report, console)
        if let difference { throw difference }
        return .ok
    }

    // MARK: Reading

    /// Reads the rows of the source, in the form that they will have in the target.
    private func read(_ scan: TopicScan, _ layout: RekeyLayout) async throws -> StateRows {
        var rows = StateRows()
        try await scan.run { record in
            if let key = layout.key(of: record) {
                rows.include(layout.copy(of: record, key), key, readIn: record.partition)
            } else {
                rows.noteSkipped()
            }
            return true
        }
        return rows
    }

    private func comparison(
        _ source: StateRows, _ layout: RekeyLayout, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws -> RekeyComparison {
        var rows = StateRows()
        try await TopicScan(target, of: admin, with: kafka).run { record in
            if let key = layout.key(of: record), layout.targetPartition(of: key) == record.partition {
                let copy = KafkaProducerRecord(
                    topic: target, timestampMilliseconds: record.timestampMilliseconds, key: key, value: record.value,
                    headers: record.headers)
                rows.include(copy, key, readIn: record.partition)
            } else {
                rows.noteSkipped()
            }
            return true
        }
        return RekeyComparison(source: source, target: rows)
    }

    // MARK: Refusals

    /// Refuses a target that deletes records by age or uses broker timestamps, because the copy would yield a different
    /// state.
    private func refuseSettings(_ admin: KafkaAdmin) async throws {
        let description = try await admin.describeTopics([target], settings: .whereAllowed).first
        guard let settings = description?.configuration else { return }
        for (name, isRight) in [
            ("cleanup.policy", { (value: String) in value == "compact" }),
            ("message.timestamp.type", { (value: String) in value == "CreateTime" }),
        ] {
            guard let value = settings[name], !isRight(value) else { continue }
            throw StartupError(
                "nothing was changed: \(target) has \(name)=\(value)",
                fix: "Delete it, and create it again with: sluicectl topics apply --state-topics \(target)")
        }
    }

    private func refuseMembers(_ admin: KafkaAdmin, isEmbedded: Bool) async throws {
        guard let group = StateGroup(of: [source, target], names, configuration) else { return }
        if !isEmbedded, try await group.hasMembers(admin) {
            throw StartupError(
                "nothing was changed: group \(group.group) has members, which write to these topics",
                fix: "Stop all of them, and run the command again")
        }
        guard !target.rawValue.hasPrefix("\(names.prefix)."), !configuration[OperationsSettings.despiteUnread] else {
            return
        }
        let unread = try await group.unread(admin)
        guard let input = group.input, unread > 0 else { return }
        throw StartupError(
            """
            nothing was changed: group \(group.group) has not handled \(unread) records in \(input), so they are not \
            in its state
            """,
            fix: """
                Let the group handle the records first, or replay them to the other notification topic (sluicectl \
                archive replay --to-topic) and run the command again with --despite-unread
                """)
    }

    private func refuseForeign(_ comparison: RekeyComparison) throws(StartupError) {
        guard comparison.foreign > 0 else { return }
        throw StartupError(
            """
            nothing was changed: \(target) has \(comparison.foreign) keys or records that are not a copy of \(source)
            """,
            fix:
                "If no member has used \(target) yet, delete it, create it again, and run the command again"
        )
    }

    /// Returns the error for a target that is not a copy of the source, or that may not be one because the source was
    /// written to since it was read. Returns nil for a copy.
    private func difference(
        _ comparison: RekeyComparison, _ scan: TopicScan, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws -> StartupError? {
        let now = try await TopicScan(source, of: admin, with: kafka).watermarks
        if now.contains(where: { scan.watermarks[$0.key]?.high != $0.value.high }) {
            return StartupError(
                "\(source) was written to in the meantime",
                fix: "Stop its writers, then run the command again; it copies only the missing records")
        }
        guard comparison.missing.isEmpty, comparison.foreign == 0 else {
            return StartupError(
                "\(target) differs from \(source) in \(comparison.missing.count + comparison.foreign) keys",
                fix: "Stop all other writers of \(target), delete it, create it again, and run the command again")
        }
        return nil
    }

    private func print(_ report: RekeyReport, _ console: Console) async {
        await console.write(configuration, text: report.text, json: report.json)
    }
}
