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
internal import TransparencyLog

/// `sluicectl archive retention --dry-run`: shows what the next run of sluice-archive will delete and announce.
struct ArchiveRetentionCommand {
    let configuration: Configuration
    let clocks: Clocks

    /// The retention plan for one log.
    private struct Row {
        let partition: KafkaTopicPartition
        let size: Int
        let plan: LogPruning.Plan
        /// Number of segments that are in the range to delete but are kept because of a legal hold or an unknown key.
        let kept: Int

        var deleted: Int { (plan.minimum - plan.before) / TilePath.fullWidth - kept }
        var announced: Int { plan.announced.map { ($0.minimum - plan.minimum) / TilePath.fullWidth } ?? 0 }
    }

    func run(_ console: Console) async throws -> ExitCode {
        guard configuration[ArchiveReadingOptions.dryRun] else {
            throw StartupError(
                "only sluice-archive deletes payloads", setting: "--dry-run",
                fix: "Pass --dry-run to print what its next run would delete; set the retention with archive.retention",
                exitCode: .usage)
        }
        let logs = try ArchiveLogs(configuration)
        let keys = try KeyStore(
            path: configuration[ArchivePlace.keyStore],
            keys: KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys]), creation: .never)
        defer { keys.close() }
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        let readers = try await logs.all().filter {
            ArchiveKind(topic: $0.names.partition.topic, names: names)?.isPersonal == true
        }
        guard let now = try await present(readers) else {
            console.complain("no record in the archive has a timestamp, so no payload has expired")
            return .ok
        }
        let hasHolds = try keys.hasHolds()
        var rows: [Row] = []
        for reader in readers {
            rows += [try await row(reader, logs, now: now) { try keys.mayPrune($0, hasHolds: hasHolds) }]
                .compactMap(\.self)
        }
        await write(rows, console)
        return .ok
    }

    /// Returns the reference time for payload ages, in milliseconds since 1970: the newest record timestamp, or the
    /// current time if that is earlier. Returns nil if no record has a timestamp.
    private func present(_ readers: [LogReader]) async throws -> Int64? {
        var newest: Int64?
        for reader in readers {
            do throws(ArchiveError) {
                guard let size = try await reader.checkpoint()?.checkpoint.size, size > 0,
                    let time = try await reader.leaf(size - 1, size: size).leaf.timestampMilliseconds
                else { continue }
                newest = max(newest ?? time, time)
            } catch { throw StartupError(error) }
        }
        return newest.map { min($0, clocks.wallMilliseconds()) }
    }

    private func row(
        _ reader: LogReader, _ logs: ArchiveLogs, now: Int64, mayPrune: ([ArchiveLeaf]) throws -> Bool
    ) async throws -> Row? {
        let scan = try await reader.scan(logs)
        guard scan.size > 0 else { return nil }
        let retention = configuration[ArchivePlace.retention].clampedMilliseconds
        let plan: LogPruning.Plan
        do throws(ArchiveError) {
            plan = try await LogPruning(logs.store, names: reader.names, signer: nil).plan(
                LogPruning.Inputs(cutoff: now - retention, now: now, size: scan.size))
        } catch {
            throw StartupError(
                error.message, fix: "Run sluicectl archive verify", exitCode: .archiveUnreadable)
        }
        var kept = 0
        for segment in plan.before / TilePath.fullWidth..<plan.minimum / TilePath.fullWidth {
            let leaves = try await scan.leaves(of: segment).map(\.1)
            if try !mayPrune(leaves) { kept += 1 }
        }
        return Row(partition: reader.names.partition, size: scan.size, plan: plan, kept: kept)
    }

    private func write(_ rows: [Row], _ console: Console) async {
        let head = ["LOG", "LEAVES", "KEPT FROM", "DELETES", "KEEPS", "ANNOUNCES", "ANNOUNCED"]
        await console.write(
            configuration, text: PlainText.table([head] + rows.map(cells)),
            lines: rows.map { JSONValue.object(json($0)).json })
    }

    private func cells(_ row: Row) -> [String] {
        [
            "\(row.partition.topic)/\(row.partition.partition)", "\(row.size)", "\(row.plan.before)", "\(row.deleted)",
            "\(row.kept)", "\(row.announced)", announcedAt(row).map { PlainText.seconds($0) } ?? "-",
        ]
    }

    private func json(_ row: Row) -> JSONObject {
        [
            OutputName.topic: .string(row.partition.topic.rawValue),
            OutputName.partition: .integer(Int64(row.partition.partition.rawValue)),
            OutputName.leaves: .integer(Int64(row.size)), OutputName.minimum: .integer(Int64(row.plan.before)),
            OutputName.deletes: .integer(Int64(row.deleted)), OutputName.keeps: .integer(Int64(row.kept)),
            OutputName.announces: .integer(Int64(row.announced)),
            OutputName.announcedAt: announcedAt(row).map { .string($0.description) } ?? .null,
        ]
    }

    private func announcedAt(_ row: Row) -> AppStoreInstant? {
        row.plan.announced.map { AppStoreInstant(clampingMillisecondsSince1970: $0.at) }
    }
}
