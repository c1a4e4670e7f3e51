internal import AppStoreModel
internal import AppStoreVerification
internal import Foundation
internal import Kafka
internal import Records

/// Measures `sluicectl explain` with a notificationUUID that no record has, which must be searched in all partitions of
/// a full notification topic on Apache Kafka.
struct ExplainBenchmark {
    let verified: [VerifiedNotification]
    /// The current time in milliseconds since 1970.
    let now: Int64
    /// Maximum number of records in the notification topic.
    let records: Int

    private static let runs = 12
    private static let partitions = 12
    /// Size of the values in bytes.
    private static let valueBytes = 2_048
    /// The number of records to which the limit of the time applies.
    private static let ratedRecords = 1_000_000
    private static let absentId = "00000000-0000-4000-8000-000000000000"
    private static let inFlight = 1_500

    func run(into report: inout BenchReport) async throws {
        guard let script = KafkaCluster.script else {
            report.section("sluicectl explain with an absent notificationUUID on Apache Kafka")
            return report.skip("explain.absent", because: KafkaCluster.absence)
        }
        let topics = TopicNames()
        let backlog = try NotificationBacklog(
            verified, topic: topics.notifications(.production), count: records, order: .spread, at: now)
        let count = min(records, backlog.count)
        report.section(
            "sluicectl explain with an absent notificationUUID on Apache Kafka: \(count) records of "
                + "\(Self.valueBytes) bytes in \(Self.partitions) partitions")
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-kafka-\(getpid())")
        let cluster = try KafkaCluster(script: script, directory: directory.path)
        defer { try? cluster.stop() }
        try await cluster.create(topics.specifications(partitions: Self.partitions))
        try await fill(backlog, count, cluster.bootstrapServers)
        let seconds = Distribution(try (0..<Self.runs).map { _ in try explain(cluster.bootstrapServers) })
        let bar: BenchReport.Bar? = count >= Self.ratedRecords ? .atMost(2) : nil
        report.add("explain.absent.records", Double(count), "records", digits: 0)
        report.add("explain.absent.min", seconds.percentile(0), "s", digits: 2)
        report.add("explain.absent.p25", seconds.percentile(0.25), "s", digits: 2)
        report.add("explain.absent.median", seconds.median, "s", digits: 2)
        report.add("explain.absent.p75", seconds.percentile(0.75), "s", digits: 2)
        report.add("explain.absent.max", seconds.percentile(1), "s, of \(Self.runs) runs", digits: 2, bar: bar)
    }

    // MARK: Filling

    private func fill(_ backlog: NotificationBacklog, _ count: Int, _ bootstrapServers: String) async throws {
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: bootstrapServers, properties: ["linger.ms": "50"]),
            topics: [backlog.topic])
        let failures = Outcomes<KafkaError>()
        // Signatures cannot be compressed, and the backlog repeats them. Few records of a batch share a padding.
        let paddings = (0..<997).map { _ in
            (0..<Self.valueBytes / 16).map { _ in
                let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }.map { Array($0.utf8) }
        while !producer.status.isReady { try await Task.sleep(for: .milliseconds(10)) }
        for index in 0..<count {
            while producer.status.recordsInFlight >= Self.inFlight { try await Task.sleep(for: .milliseconds(1)) }
            var record = backlog[index]
            record.value = record.value.map { Self.padded($0, with: paddings[index % paddings.count]) }
            producer.send(record) { [failures] result in
                if case .failure(let error) = result { failures.add(error) }
            }
        }
        while producer.status.recordsInFlight > 0 { try await Task.sleep(for: .milliseconds(1)) }
        await producer.close(within: .seconds(2))
        if let error = failures.values.first { throw error }
    }

    /// Replaces Apple's signatures, the last member of a value, so that the value has ``valueBytes`` unless the rest is
    /// longer.
    private static func padded(_ value: [UInt8], with padding: [UInt8]) -> [UInt8] {
        let (start, end) = (Array(#","proof":""#.utf8), Array(#""}"#.utf8))
        guard let proof = value.firstRange(of: Array(",\"proof\"".utf8)) else { return value }
        let rest = value[..<proof.lowerBound]
        let length = max(0, min(padding.count, valueBytes - rest.count - start.count - end.count))
        return rest + start + padding[..<length] + end
    }

    // MARK: Searching

    /// Runs the command once.
    ///
    /// - Returns: the number of seconds.
    private func explain(_ bootstrapServers: String) throws -> Double {
        let process = Process()
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent("sluicectl")
        // Nothing listens at this URL, so that the read API does not take part.
        let silent = ["--entitlements.url", "--webhooks.admin.url"].flatMap { [$0, "http://127.0.0.1:1"] }
        process.arguments = ["explain", Self.absentId, "--kafka.bootstrap.servers", bootstrapServers] + silent
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SLUICE_") }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let start = Clocks.monotonic
        try process.run()
        process.waitUntilExit()
        let seconds = (Clocks.monotonic - start) / 1e9
        // 1: everything was searched, and nothing was found.
        guard process.terminationStatus == 1 else {
            throw BenchFailure("sluicectl explain ended with \(process.terminationStatus), expected 1")
        }
        return seconds
    }
}
