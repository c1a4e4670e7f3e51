import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The time until a member answers and works, with its disk and without.
    @Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
    struct StartTimesOnApacheKafka {
        /// Both environments together have twice as many partitions.
        @Test(arguments: [(12, Duration.seconds(1.5)), (50, .seconds(3))])
        func `a member starts and takes over partitions within seconds`(
            partitions: Int, promise: Duration
        ) async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: partitions)
                try await broker.create(
                    broker.topics.deadLetters(of: StartingMember.group(of: broker), partitions: partitions))
                let load = try RecordLoad(to: broker, perSecond: 200)
                let client = HTTPClient()
                defer { client.close() }
                let all = 2 * partitions
                var report = FaultReport("start of a member with \(all) partitions, \(TestScale.name)")

                let first = try StartingMember(harness, broker, "first")
                try await load.run { try await load.wait(for: 400) }
                report.add("restored, nothing to read", try await first.restored(all, within: promise))
                try await first.waitUntilRead(load.written, client)
                try await first.leave()

                let again = try StartingMember(harness, broker, "first")
                let ready = try await again.ready(client, within: promise)
                let restored = try await again.restored(all, within: promise)
                report.add("ready", ready)
                report.add("all restored", restored)
                #expect(ready.keeps(promise) && restored.keeps(promise))

                let other = try StartingMember(harness, broker, "other")
                report.add("ready without a disk", try await other.ready(client, within: promise))
                _ = try await other.restored(all / 2, within: promise)
                // All partitions of the first member move.
                let takeover = ContinuousClock.now
                try await again.leave()
                _ = try await other.restored(all, within: promise)
                report.add("takeover of half", ContinuousClock.now - takeover)
                try await other.leave()
                try report.publish()
            }
        }

        /// The member is a reader, so that only the restore takes time.
        @Test(.timeLimit(.minutes(TestScale.choose(short: 3, long: 20))))
        func `a member without a disk restores every row, and logs its progress`() async throws {
            let count = TestScale.choose(short: 2_000, long: 1_000_000)
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: 12)
                try await broker.create(
                    broker.topics.deadLetters(of: StartingMember.group(of: broker), partitions: 12))
                let load = try RecordLoad(to: broker, perSecond: 200)
                let client = HTTPClient()
                defer { client.close() }
                let first = try StartingMember(harness, broker, "first")
                try await load.run { try await load.wait(for: 400) }
                try await first.waitUntilRead(load.written, client)
                try await first.leave()
                let published = try await broker.records(of: broker.entitlements(.production))
                try await StateRows(like: published, in: broker.entitlements(.production)).write(count, to: broker)
                let rows = count + Set(published.compactMap(\.key)).count

                let restore = try StartingMember(
                    harness, broker, "restored", settings: ["--state.role", "reader"])
                let (time, used, left) = try await restore.restore(client, within: .seconds(900))
                var report = FaultReport("restore of a member without a disk, \(TestScale.name)")
                report.add("rows", rows)
                report.add("for", time)
                report.add("processor time", used)
                report.add("rows a second", Int(Double(rows) / (time / .seconds(1))))
                report.add("rows a second of one core", Int(Double(rows) / (used / .seconds(1))))
                report.add("progress told", restore.count(logged: "state is being restored"))
                try report.publish()
                let isTold = restore.count(logged: "state is being restored") > 0 && left.contains { $0 > 0 }
                #expect(isTold || !TestScale.isLong)
                try await restore.leave()
            }
        }
    }
}

/// One `sluice-entitlements`, measured from its start.
private struct StartingMember {
    private let process: ChildProcess
    private let start = ContinuousClock.now

    static func group(of broker: Broker) -> String { broker.topics.prefix + "-group" }

    init(_ harness: Harness, _ broker: Broker, _ name: String, settings: [String] = []) throws {
        process = try harness.start(
            Executable(
                "sluice-entitlements",
                arguments: broker.arguments + [
                    "--entitlements.group.id", Self.group(of: broker), "--data.dir", harness.path(name),
                    "--http.port", "0", "--admin.port", "0",
                ] + settings))
    }

    func count(logged message: String) -> Int { process.log.count { $0.message == message } }

    /// Waits until everything has been read.
    ///
    /// - Returns: the time since the start, the processor time, and the values of the restore gauge.
    func restore(
        _ client: HTTPClient, within limit: Duration
    ) async throws -> (time: Duration, used: Duration, left: [Double]) {
        let admin = try await AdminAddress(process)
        var left: [Double] = []
        try await waitUntil(within: limit) {
            let isReady = await admin.isReady(client)
            if let present = try? await admin.metrics("sluice_state_unread_records", client).first?.value {
                left.append(present)
            }
            return isReady && left.last == 0
        }
        return (ContinuousClock.now - start, try #require(process.processorTime, "\(process)"), left)
    }

    /// Returns the time from the start until `/readyz` returns 200.
    func ready(_ client: HTTPClient, within limit: Duration) async throws -> Duration {
        let admin = try await AdminAddress(process)
        try await waitUntil(within: limit) { await admin.isReady(client) }
        return ContinuousClock.now - start
    }

    /// Returns the time from the start until a number of partitions has been restored.
    func restored(_ partitions: Int, within limit: Duration) async throws -> Duration {
        try await waitUntil(within: limit) {
            process.log.count { $0.message == "state restored" } >= partitions
        }
        return ContinuousClock.now - start
    }

    func waitUntilRead(_ records: Int, _ client: HTTPClient) async throws {
        let admin = try await AdminAddress(process)
        try await waitUntil(within: .seconds(20)) {
            let read = try? await admin.metrics("sluice_consumer_records_total", client).map(\.value).reduce(0, +)
            return read ?? 0 >= Double(records)
        }
    }

    func leave() async throws {
        process.signal(SIGTERM)
        #expect(try await process.end(within: .seconds(40)) == .exit(0), "\(process)")
    }
}
