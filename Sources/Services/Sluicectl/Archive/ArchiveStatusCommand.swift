internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import TransparencyLog

/// `sluicectl archive status`: prints the size of each archive log, the age of its checkpoint and, if Kafka is read,
/// the number of records that have not been archived yet.
struct ArchiveStatusCommand {
    let configuration: Configuration
    let clocks: Clocks
    let timeout: Duration

    func run(_ console: Console) async throws -> ExitCode {
        let logs = try ArchiveLogs(configuration)
        let topic = configuration[ArchiveReadingOptions.topic]
        var readers = try await logs.readers { topic == nil || $0.rawValue == topic }
        if topic == nil, let reader = try await logs.checkpointLog() { readers.append(reader) }
        let countsBytes = configuration[ArchiveReadingOptions.bytes]
        let inputs = ArchiveInputs(configuration: configuration, timeout: timeout)
        let verifiers = try await inputs.verifiersOrPolicy()
        let witnesses = try await inputs.witnesses(verifiers)
        var rows: [ArchiveStatus] = []
        for reader in readers {
            rows.append(try await ArchiveStatus(reader, in: logs, countsBytes: countsBytes, witnesses: witnesses))
        }
        if configuration[ArchiveReadingOptions.againstKafka] { try await addKafka(to: &rows, verifiers) }
        if configuration[ArchiveReadingOptions.againstAnchor] { try await addStore(to: &rows, verifiers) }
        let now = clocks.wallMilliseconds()
        let counted = rows.filter { !$0.names.isCheckpointLog }
        let leaves = counted.reduce(0) { $0 + $1.size }
        let bytes = rows.reduce(0) { $0 + ($1.bytes ?? 0) }
        await console.write(
            configuration,
            text: PlainText.table([ArchiveStatus.head] + rows.map { $0.row(now: now) })
                + "\n\(counted.count) logs, \(leaves) leaves\(countsBytes ? ", \(bytes) bytes" : "")\n",
            lines: rows.map { $0.json(now: now) })
        var exitCode = ExitCode.ok
        for row in rows {
            guard let anchored = row.rolledBack ?? row.unverifiedRollback else { continue }
            let isProven = anchored.isVerified == true
            let anchor = "\(anchored.anchor) has a checkpoint with \(anchored.leaves)"
            console.complain(
                "\(row.partition) has \(row.size) leaves, but \(anchor)"
                    + (isProven ? "" : ", whose signature was not verified; set --key to the key that signed it"))
            if isProven {
                exitCode = .archiveRolledBack
            } else if exitCode == .ok {
                exitCode = .archiveKeyUnknown
            }
        }
        return exitCode
    }

    private func addStore(to rows: inout [ArchiveStatus], _ verifiers: ArchiveVerifiers?) async throws {
        let anchor = try AnchorStore(configuration)
        for index in rows.indices {
            guard let checkpoint = try await anchor.checkpoint(of: rows[index].names),
                checkpoint.checkpoint.origin == rows[index].origin
            else { continue }
            let isVerified = verifiers.map {
                (try? VerifiedCheckpoint(checkpoint.note, of: nil, verifiers: $0)) != nil
            }
            rows[index].anchors.append(
                .init(anchor: "store", leaves: checkpoint.checkpoint.size, isVerified: isVerified))
        }
    }

    private func addKafka(to rows: inout [ArchiveStatus], _ verifiers: ArchiveVerifiers?) async throws {
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        try await Brokers.connected(configuration, timeout) { admin, kafka in
            var ends: [KafkaTopicPartition: KafkaWatermarks] = [:]
            for topic in Set(rows.filter { !$0.names.isCheckpointLog }.map(\.partition.topic)) {
                do throws(KafkaError) {
                    ends.merge(try await admin.watermarks(of: topic)) { $1 }
                } catch {
                    guard error.code == .unknownTopic else { throw error }
                }
            }
            let anchored = try await anchored(names.archiveCheckpoints, verifiers, admin, kafka)
            for index in rows.indices {
                if let marks = ends[rows[index].partition] {
                    let next = rows[index].nextOffset ?? marks.low.rawValue
                    rows[index].lag = max(0, marks.high.rawValue - max(next, marks.low.rawValue))
                }
                if let leaves = rows[index].origin.flatMap({ anchored[$0] }) {
                    rows[index].anchors.append(
                        .init(anchor: "kafka", leaves: leaves, isVerified: verifiers.map { _ in true }))
                }
            }
        }
    }

    /// Returns, for each origin, the size of the largest checkpoint in the topic, or an empty dictionary if the topic
    /// does not exist. If keys are given, checkpoints that none of them signed are ignored, because any client with
    /// write access to the topic can write them.
    private func anchored(
        _ topic: KafkaTopic, _ verifiers: ArchiveVerifiers?, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws -> [String: Int] {
        do throws(KafkaError) {
            _ = try await admin.watermarks(of: topic)
        } catch {
            guard error.code == .unknownTopic else { throw error }
            return [:]
        }
        var sizes: [String: Int] = [:]
        try await TopicScan(topic, of: admin, with: kafka).run { record in
            guard let value = record.value, let note = try? SignedNote(bytes: value),
                let checkpoint = try? VerifiedCheckpoint(note, of: nil, verifiers: verifiers).checkpoint
            else { return true }
            sizes[checkpoint.origin] = max(checkpoint.size, sizes[checkpoint.origin] ?? 0)
            return true
        }
        return sizes
    }
}
