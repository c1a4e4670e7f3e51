import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import Simulator
import TestSupport
import Testing

extension EndToEnd {
    /// The memory of a member with full partitions, which must not depend on their number.
    @Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
    struct MemoryOnApacheKafka {
        private static let bound = 128 << 20

        @Test(arguments: [12, 64])
        func `webhooks stay within 128 MiB while the receiver is down`(partitions: Int) async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: partitions)
                let group = broker.topics.prefix + "-webhooks"
                try await broker.create(broker.topics.deadLetters(of: group, partitions: partitions))
                try await MemoryLoad.fill(broker, partitions: partitions)
                let secret = try harness.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLtuwMfKQ9r8GKYqr\n", to: "secret")
                let webhooks = try harness.start(
                    Executable(
                        "sluice-webhooks",
                        arguments: broker.arguments + [
                            "--webhooks.group.id", group, "--webhooks.url", "http://127.0.0.1:9/", "--webhooks.content",
                            "notification", "--webhooks.secret.file", secret, "--data.dir", harness.path("webhooks"),
                            "--admin.port", "0",
                        ]))
                let admin = try await AdminAddress(webhooks)
                let client = HTTPClient()
                defer { client.close() }
                try await waitUntil(within: .seconds(60)) {
                    let unfinished = try? await admin.metrics("sluice_consumer_unfinished_records", client)
                    return unfinished?.count { $0.value > 0 } == partitions
                }
                try await MemoryLoad.report(webhooks, "sluice-webhooks, receiver away", partitions, Self.bound)
                webhooks.signal(SIGTERM)
                #expect(try await webhooks.end(within: .seconds(40)) == .exit(0), "\(webhooks)")
            }
        }

        @Test(arguments: [12, 64])
        func `a member with state stays within 128 MiB during a backlog`(partitions: Int) async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: partitions)
                let group = broker.topics.prefix + "-group"
                try await broker.create(broker.topics.deadLetters(of: group, partitions: partitions))
                let count = try await MemoryLoad.fill(broker, partitions: partitions)
                let member = try harness.start(
                    Executable(
                        "sluice-entitlements",
                        arguments: broker.arguments + [
                            "--entitlements.group.id", group, "--data.dir", harness.path("member"), "--http.port", "0",
                            "--admin.port", "0",
                        ]))
                let admin = try await AdminAddress(member)
                let client = HTTPClient()
                defer { client.close() }
                try await waitUntil(within: .seconds(60)) {
                    let read = try? await admin.metrics("sluice_consumer_records_total", client).map(\.value)
                    return read?.reduce(0, +) ?? 0 >= Double(count) / 2
                }
                try await MemoryLoad.report(member, "sluice-entitlements, backlog", partitions, Self.bound)
                member.signal(SIGTERM)
                #expect(try await member.end(within: .seconds(40)) == .exit(0), "\(member)")
            }
        }
    }
}

private enum MemoryLoad {
    /// Returns the total bytes of the partitions: twice the amount that a consumer may buffer or process, but at least
    /// a mebibyte each.
    private static func bytes(_ partitions: Int) -> Int { max(64 << 20, partitions << 20) }

    /// Writes notifications of many purchases until the partitions are full.
    ///
    /// - Returns: the number of records.
    @discardableResult
    static func fill(_ broker: Broker, partitions: Int) async throws -> Int {
        let app = SimulatedApp(
            bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
        let scenario = try #require(Scenario.all.first { $0.name == "subscription-life" })
        let series = try #require(
            ScenarioSeries(
                scenarios: [scenario], app: app, seed: 7,
                endingAt: Int64(Date().timeIntervalSince1970 * 1000)))
        let topic = broker.notifications(.production)
        let records = (0..<partitions * 8).flatMap { series.notifications(of: $0) }
            .filter { $0.originalTransactionId != nil }.map { $0.record(in: topic) }
        let bytes = records.reduce(0) { $0 + ($1.value?.count ?? 0) }
        let rounds = Self.bytes(partitions) / max(1, bytes) + 1
        for _ in 0..<rounds { try await broker.writeAtOnce(records) }
        return rounds * records.count
    }

    /// Compares the peak memory with the bound, including the next three seconds.
    static func report(_ process: ChildProcess, _ what: String, _ partitions: Int, _ bound: Int) async throws {
        var report = FaultReport("memory of \(what), \(partitions) partitions, \(TestScale.name)")
        _ = await eventually(within: .seconds(3)) { process.peakResidentBytes > bound }
        report.add("peak", .memory(process.peakResidentBytes))
        report.add("in memory", .memory(process.residentBytes))
        #expect(process.peakResidentBytes <= bound, "\(process.peakResidentBytes >> 20) MiB")
        try report.publish()
    }
}
