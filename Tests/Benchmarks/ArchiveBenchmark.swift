internal import AppStoreModel
internal import AppStoreVerification
internal import ArchiveKeys
internal import ArchiveLog
internal import Cryptography
internal import Foundation
internal import Kafka
internal import ObjectStorage
internal import Records
internal import TransparencyLog

/// Measures the archive: the cost of encrypting, hashing and writing a notification, its size on disk, the speed of
/// verification, and `sluice-archive` as a separate process with a broker.
struct ArchiveBenchmark {
    let verified: [VerifiedNotification]
    /// The current time in milliseconds since 1970.
    let now: Int64
    let isQuick: Bool

    /// The number of leaves in one checkpoint, which is the default of `archive.flush.records`.
    private static let flush = 1000
    private static let batch = 500
    private static let origin = "example.com/bench"

    func run(into report: inout BenchReport) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sluice-bench-archive-\(getpid())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let topic = TopicNames().notifications(.production)
        let backlog = try NotificationBacklog(
            verified, topic: topic, count: isQuick ? 20_000 : 100_000, order: .spread, at: now)
        let log = try Log(directory.path, topic)
        try await write(backlog, to: log, into: &report)
        try await verify(log, count: backlog.count, into: &report)
        try await grow(directory.path + "/long", into: &report)
        try await addProcess(directory.path + "/process", into: &report)
    }

    /// The components of one log.
    private struct Log {
        let store: DirectoryStore
        let names: LogNames
        let signer: CheckpointSigner
        let keys: KeyStore
        let archived: ArchivedTopic

        init(_ directory: String, _ topic: KafkaTopic) throws {
            store = try DirectoryStore(path: directory + "/log", creating: true)
            names = try LogNames(KafkaTopicPartition(topic: topic, partition: 0))
            signer = try CheckpointSigner(archive: ArchiveBenchmark.origin, keys: [PrivateKey.generate(.ed25519)])
            keys = try KeyStore(
                path: directory + "/keys.sqlite",
                keys: KeyEncryptionKeys([
                    KeyEncryptionKey(SecretKey(copying: [UInt8](repeating: 7, count: 32)), source: "bench")
                ]), creation: .ifMissing)
            guard let archived = ArchivedTopic(topic, names: TopicNames()) else { throw BenchFailure("not archived") }
            self.archived = archived
        }
    }

    private func write(_ backlog: NotificationBacklog, to log: Log, into report: inout BenchReport) async throws {
        report.section("archive: notifications encrypted with the key of their purchase, hashed, signed and synced")
        var writer = try await LogWriter.open(log.store, names: log.names, signer: log.signer, at: 0)
        var cpu = 0.0
        var bytes = 0
        var memory = 0.0
        for start in stride(from: 0, to: backlog.count, by: Self.batch) {
            let records = (start..<min(start + Self.batch, backlog.count)).map { index in
                let record = backlog[index]
                return KafkaRecord(
                    topic: record.topic, partition: 0, offset: KafkaOffset(rawValue: Int64(index)),
                    timestampMilliseconds: now, key: record.key, value: record.value, headers: record.headers)
            }
            bytes += records.reduce(0) { $0 + Self.size(of: $1) }
            let begun = Clocks.processCPU
            let requests = records.compactMap { record in
                log.archived.subject(of: record).map { DataKeyRequest(subject: $0, eventTimeMilliseconds: now) }
            }
            for (record, protection) in zip(records, try log.keys.dataKeys(for: requests)) {
                try writer.append(
                    ArchiveEntry(
                        record, kind: .notification, clusterId: "bench", archivedAtMilliseconds: now,
                        protection: protection))
            }
            if (start + Self.batch) % Self.flush == 0 { try await writer.commit(at: Int(now / 1000)) }
            cpu += Clocks.processCPU - begun
            if memory == 0, start > backlog.count / 10 { memory = Self.residentMiB }
        }
        try await writer.commit(at: Int(now / 1000))
        let count = Double(backlog.count)
        report.add("archive.records", count, "records of \(bytes / backlog.count) bytes", digits: 0)
        report.add("archive.customers", Double(backlog.customers), "purchases, each with a key", digits: 0)
        report.add("archive.cpu_us", cpu / 1e3 / count, "us CPU each")
        report.add(
            "archive.per_core_second", count / (cpu / 1e9), "notifications/s of one core", digits: 0,
            bar: .atLeast(20_000))
        let stored = try await Self.storedBytes(log.store)
        report.add(
            "archive.bytes_ratio", Double(stored) / Double(bytes), "bytes on disk per byte of a record",
            digits: 3, bar: .atMost(1.3))
        report.add(
            "archive.memory_growth_mib", Self.residentMiB - memory, "MiB resident more after all than after a tenth")
    }

    private func verify(_ log: Log, count: Int, into report: inout BenchReport) async throws {
        report.section("archive: verification with the public key only")
        for (name, checksObjects) in [("tree", false), ("objects", true)] {
            var options = VerificationOptions(verifiers: try log.signer.verifiers())
            options.checksObjects = checksObjects
            let begun = Clocks.monotonic
            let outcome = try await ArchiveVerification(log.store, options: options).run()
            let seconds = (Clocks.monotonic - begun) / 1e9
            guard outcome.findings.isEmpty, outcome.logs.first?.leaves == count else {
                throw BenchFailure("the archive is not intact: \(outcome.findings)")
            }
            report.add(
                "archive.verify.\(name).per_second", Double(count) / seconds,
                checksObjects ? "leaves/s, including all objects" : "leaves/s, tree and checkpoints", digits: 0,
                bar: checksObjects ? nil : .atLeast(200_000))
        }
    }

    /// Measures the memory that a writer and a verification need for a log with the records of a large installation in
    /// a year.
    private func grow(_ directory: String, into report: inout BenchReport) async throws {
        guard !isQuick else { return report.skip("archive.long", because: "not with --quick") }
        report.section("archive: one log of 10 million leaves with small records")
        let count = 10_000_000
        let topic: KafkaTopic = "appstore.certificates"
        let store = try DirectoryStore(path: directory, creating: true)
        let signer = try CheckpointSigner(archive: Self.origin, keys: [PrivateKey.generate(.ed25519)])
        let names = try LogNames(KafkaTopicPartition(topic: topic, partition: 0))
        var writer = try await LogWriter.open(store, names: names, signer: signer, at: 0)
        var early = 0.0
        let begun = Clocks.processCPU
        for offset in 0..<Int64(count) {
            try writer.append(
                ArchiveEntry(
                    KafkaRecord(
                        topic: topic, partition: 0, offset: KafkaOffset(rawValue: offset), timestampMilliseconds: now,
                        key: nil, value: [1, 2, 3, 4, 5, 6, 7, 8]), kind: .certificate, clusterId: "bench",
                    archivedAtMilliseconds: now, protection: .plain))
            if offset % 10_000 == 9_999 { try await writer.commit(at: Int(now / 1000)) }
            if offset == Int64(count / 10) { early = Self.residentMiB }
        }
        report.add("archive.long.cpu_us", (Clocks.processCPU - begun) / 1e3 / Double(count), "us CPU each")
        report.add(
            "archive.long.memory_growth_mib", Self.residentMiB - early,
            "MiB resident more after all than after a tenth",
            bar: .atMost(16))
        let before = Self.residentMiB
        var highest = before
        var options = VerificationOptions(verifiers: try signer.verifiers())
        let peak = Outcomes<Double>()
        options.progress = { _, leaves, _ in if leaves % 1_000_000 < 256 { peak.add(Self.residentMiB) } }
        let start = Clocks.monotonic
        let outcome = try await ArchiveVerification(store, options: options).run()
        let seconds = (Clocks.monotonic - start) / 1e9
        guard outcome.findings.isEmpty, outcome.logs.first?.leaves == count else {
            throw BenchFailure("the archive is not intact: \(outcome.findings)")
        }
        highest = max(highest, peak.values.max() ?? 0)
        report.add(
            "archive.long.verify.per_second", Double(count) / seconds, "leaves/s, including all objects", digits: 0,
            bar: .atLeast(200_000))
        report.add(
            "archive.long.verify.memory_growth_mib", highest - before, "MiB more resident memory during verification",
            bar: .atMost(64))
    }

    /// Runs the executable with an empty directory until it has archived and committed a backlog from the embedded
    /// broker.
    private func addProcess(_ directory: String, into report: inout BenchReport) async throws {
        report.section("sluice-archive from the embedded broker")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(PrivateKey.generate(.ed25519).pem()).write(to: URL(fileURLWithPath: directory + "/sign.pem"))
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: directory + "/kek"))
        let backlog = try NotificationBacklog(
            verified, topic: TopicNames().notifications(.production), count: isQuick ? 20_000 : 100_000, order: .spread,
            at: now)
        let broker = try ChildProcess("sluice-dev-broker", ["--port", "0"])
        let feed = try BacklogFeed(
            backlog, bootstrapServers: try broker.ready(field: "bootstrapServers"), group: "sluice-archive")
        try await feed.fill()
        let member = try ChildProcess(
            "sluice-archive",
            [
                "--kafka.bootstrap.servers", feed.bootstrapServers, "--profile", "single-node", "--admin.port", "0",
                "--data.dir", directory + "/data", "--archive.url", directory + "/archive", "--archive.origin",
                Self.origin, "--archive.signing.key.file", directory + "/sign.pem",
                "--archive.key.encryption.key.file", directory + "/kek", "--archive.key.store",
                directory + "/keys.sqlite",
            ])
        _ = try member.ready("admin listener ready", field: "port")
        let seconds = try await feed.run { _ in }
        report.add(
            "archive.process.per_core_second", Double(backlog.count) / (member.cpu / 1e9),
            "notifications/s of one core, with the consumer", digits: 0)
        report.add(
            "archive.process.per_second", Double(backlog.count) / seconds,
            "records/s, broker and feed on the same cores",
            digits: 0)
        report.add("archive.process.memory_peak_mib", member.memory.peak, "MiB resident")
        try member.stop()
        await feed.close()
        try broker.stop()
    }

    /// Returns the total size of a record's key, value and headers in bytes.
    private static func size(of record: KafkaRecord) -> Int {
        record.headers.reduce((record.key?.count ?? 0) + (record.value?.count ?? 0)) {
            $0 + $1.key.utf8.count + ($1.value?.count ?? 0)
        }
    }

    private static func storedBytes(_ store: DirectoryStore) async throws -> Int {
        var total = 0
        var last: ObjectName?
        while true {
            let page = try await store.list(nil, after: last, limit: 1000)
            total += page.reduce(0) { $0 + $1.byteCount }
            guard page.count == 1000, let name = page.last?.name else { return total }
            last = name
        }
    }

    /// The resident memory of this process.
    private static var residentMiB: Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }
}
