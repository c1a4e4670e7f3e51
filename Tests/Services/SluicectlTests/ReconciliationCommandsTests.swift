import AppStoreModel
import CommandLine
import JSON
import Kafka
import KafkaDevBroker
import Reconciliation
import Records
import Synchronization
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl backfill` and `sluicectl reconcile`: requests and output. The tests of sluice-reconciler cover the sweeps
/// themselves.
@Suite(.timeLimit(.minutes(2))) struct ReconciliationCommandsTests {
    private static let app = BundleId("com.example.app")

    /// A sweep that found one of twenty notifications missing, and a waiting sweep.
    private var sweeps: [Sweep] {
        var complete = Sweep(.production, Self.app, .failures)
        var run = SweepRun(startedAt: Signed.now, range: SweepRange(from: 0, to: 1_000_000), windows: 1_000_000)
        run.counts.swept = 20
        run.note(
            missing: SweepRun.Missing(
                NotificationUUID("6ff4cb18-0000-4000-8000-000000000001"), .didRenew,
                signedDate: AppStoreInstant(clampingMillisecondsSince1970: Signed.now)))
        complete.begin(run)
        complete.finish(run, at: Signed.now, nextAt: Signed.now + 3_600_000)
        var failing = Sweep(.sandbox, Self.app, .everything)
        run.failure = SweepRun.Failure(at: Signed.now, message: "the App Store Server API answered 401", count: 1)
        failing.begin(run)
        return [complete, failing]
    }

    /// Returns a comparison of three subscriptions with one difference, complete or in progress.
    private func statuses(isComplete: Bool) throws -> Sweep {
        var sweep = Sweep(.production, Self.app, .statuses)
        var run = SweepRun(startedAt: Signed.now, range: SweepRange(from: 0, to: 1), windows: 1)
        run.counts.swept = 3
        run.note(
            try #require(
                StatusDifference(
                    PublishedSubscription(
                        OriginalTransactionId("200"), isEntitled: true, state: "ACTIVE",
                        transactionId: TransactionId("201")), status: .revoked, latest: TransactionId("201"))))
        sweep.begin(run)
        if isComplete { sweep.finish(run, at: Signed.now, nextAt: Signed.now + 86_400_000) }
        return sweep
    }

    @Test func `report lists subscriptions that differ from Apple's statuses`() async throws {
        let body = SweepListing.json([try statuses(isComplete: true)])
        let api = try FakeReadAPI(status: 200, body: String(decoding: body, as: UTF8.self))
        let (code, printed) = await sluicectl(["reconcile", "report", "--reconciler.admin.url", api.flag[1]])
        #expect(code == 0)
        let lines = printed.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        // A statuses sweep has no missing, published or quarantined notifications.
        #expect(
            Array(lines[1][2...12])
                == ["statuses", "complete", lines[1][4], "3", "-", "-", "-", "0", "0", "1", "0"])
        #expect(
            printed.output.contains("com.example.app production statuses: the first 1 of 1 that differ from Apple's"))
        #expect(lines.last == ["200", "access", "ACTIVE", "revoked", "201", "201"])
        let (_, json) = await sluicectl([
            "reconcile", "report", "--output", "json", "--reconciler.admin.url", api.flag[1],
        ])
        let last = try #require(try json.objects.first?["last"]?.object)
        #expect(last["differing"]?.integer == 1)
        #expect(last["differences"]?.array?.first?.object?["difference"] == "access")
        await api.stop()
    }

    @Test func `a comparison in progress shows the number compared, without a percentage`() async throws {
        let body = SweepListing.json([try statuses(isComplete: false)])
        let api = try FakeReadAPI(status: 200, body: String(decoding: body, as: UTF8.self))
        let (code, printed) = await sluicectl(["reconcile", "report", "--reconciler.admin.url", api.flag[1]])
        #expect(code == 0)
        #expect(printed.output.contains(" statuses  3 compared "))
        await api.stop()
    }

    /// Returns the time this many days before the tests' current time.
    private func days(_ count: Int64) -> String {
        AppStoreInstant(clampingMillisecondsSince1970: Signed.now - count * 86_400_000).description
    }

    /// Returns the records of a topic with two partitions.
    private func records(of topic: KafkaTopic, _ kafka: KafkaConfiguration) async throws -> [KafkaRecord] {
        var records: [KafkaRecord] = []
        let places = (0..<2).map {
            (KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)), KafkaOffset.beginning)
        }
        try await KafkaConsumer.readToEnd(
            kafka, from: Dictionary(uniqueKeysWithValues: places), within: .seconds(20)
        ) { records += $0 }
        return records
    }

    private func api() throws -> FakeReadAPI {
        try FakeReadAPI(status: 200, body: String(decoding: SweepListing.json(sweeps), as: UTF8.self))
    }

    @Test func `report is a table, with failures and missing notifications`() async throws {
        let api = try api()
        let (code, printed) = await sluicectl(["reconcile", "report", "--reconciler.admin.url", api.flag[1]])
        #expect(code == 0)
        #expect(api.seen == ["/reconciliation"])
        let lines = printed.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines[1].prefix(4) == ["com.example.app", "production", "failures", "complete"])
        #expect(lines[1][5...7] == ["20", "1", "0"])
        #expect(lines[2].prefix(4) == ["com.example.app", "sandbox", "everything", "failing"])
        #expect(printed.output.contains("answered 401"))
        #expect(printed.output.contains("DID_RENEW  6ff4cb18-0000-4000-8000-000000000001"))
        let (_, json) = await sluicectl([
            "reconcile", "report", "--output", "json", "--reconciler.admin.url", api.flag[1],
        ])
        #expect(try json.objects.map { $0["kind"]?.string } == ["failures", "everything"])
        await api.stop()
    }

    @Test func `another process at the address is detected by its answer`() async throws {
        let api = try FakeReadAPI(status: 200, body: "{}")
        let (code, printed) = await sluicectl(["reconcile", "report", "--reconciler.admin.url", api.flag[1]])
        #expect(code == 1)
        #expect(printed.complaints.first?.contains("reconciler.admin.url") == true)
        await api.stop()
    }

    @Test func `backfill writes a request for the reconciler, and can be interrupted`() async throws {
        let names = TopicNames()
        let topic = names.reconciliation(.production)
        let broker = try DevBroker(topics: [topic: 2])
        let api = try api()
        let arguments = [
            "backfill", "--app", "com.example.app", "--from", days(3), "--to", days(2),
            "--dry-run", "--reconciler.admin.url", api.flag[1], "--kafka.bootstrap.servers", broker.bootstrapServers,
        ]
        let (code, printed) = await sluicectl(arguments + ["--no-wait", "--output", "json"])
        #expect(code == 0)
        let shown = try #require(try printed.objects.first)
        let (signals, interrupt) = AsyncStream.makeStream(of: String.self)
        interrupt.yield("SIGINT")
        let (left, complaints) = await sluicectl(arguments, interruption: signals)
        #expect(left == 1)
        #expect(complaints.complaints.last?.contains("sluicectl reconcile report") == true)

        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let records = try await self.records(of: topic, kafka)
        #expect(records.count == 2)
        for record in records {
            let sweep = try #require(try ReconciliationRow(bytes: record.value ?? []).sweep)
            #expect(Array(sweep.key.utf8) == record.key)
            #expect(record.partition == KafkaPartition(ofKey: record.key ?? [], partitions: 2))
            #expect(sweep.kind.isBackfill)
            #expect(sweep.due == 0)
            let request = try #require(sweep.request)
            #expect(request.isDryRun)
            #expect(request.range.to - request.range.from == 86_400_000)
        }
        #expect(
            records.contains { $0.value.flatMap { try? JSONValue(json: $0) }?.object?["kind"] == shown["kind"] })
        await api.stop()
        await broker.stop()
    }

    @Test func `report shows the range of a backfill, and a dry run`() async throws {
        var sweep = Sweep(.production, Self.app, .backfill("1"))
        let day: Int64 = 86_400_000
        let range = SweepRange(from: Signed.now - 3 * day, to: Signed.now - 2 * day)
        sweep.request = Sweep.Request(range: range, isDryRun: true, requestedAt: Signed.now)
        var run = SweepRun(startedAt: Signed.now, range: range, windows: day, isDryRun: true)
        run.counts.unknown = 7
        sweep.begin(run)
        sweep.finish(run, at: Signed.now, nextAt: nil)
        let api = try FakeReadAPI(
            status: 200, body: String(decoding: SweepListing.json([sweep]), as: UTF8.self))
        let (code, printed) = await sluicectl(["reconcile", "report", "--reconciler.admin.url", api.flag[1]])
        #expect(code == 0)
        let lines = printed.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let column = try #require(lines.first).firstIndex(of: "UNKNOWN").map { $0 - 1 }
        #expect(lines[1][try #require(column)] == "7")
        let from = PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: range.from))
        let to = PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: range.to))
        #expect(printed.output.contains("backfill-1: from \(from) to \(to), a dry run"))
        await api.stop()
    }

    @Test func `cancel writes a request to end the given backfill only`() async throws {
        let topic = TopicNames().reconciliation(.sandbox)
        let broker = try DevBroker(topics: [topic: 2])
        var running = Sweep(.sandbox, Self.app, .backfill("17-a"))
        var complete = Sweep(.sandbox, Self.app, .backfill("17-b"))
        let run = SweepRun(startedAt: Signed.now, range: SweepRange(from: 0, to: 1_000_000), windows: 1_000_000)
        running.begin(run)
        complete.begin(run)
        complete.finish(run, at: Signed.now, nextAt: nil)
        let listing = String(decoding: SweepListing.json([running, complete]), as: UTF8.self)
        let api = try FakeReadAPI(status: 200, body: listing)
        func cancel(_ id: String) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl([
                "reconcile", "cancel", id, "--reconciler.admin.url", api.flag[1],
                "--kafka.bootstrap.servers", broker.bootstrapServers,
            ])
        }
        #expect(await cancel("17-a").exitCode == 0)
        #expect(await cancel("backfill-17-a").exitCode == 0)
        let (ended, unknown) = (await cancel("17-b"), await cancel("failures"))
        #expect(ended.exitCode == 1)
        #expect(ended.printed.complaints.first?.contains("has ended") == true)
        #expect(unknown.exitCode == 1)
        #expect(unknown.printed.complaints.first?.contains("sluicectl reconcile report") == true)

        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let records = try await self.records(of: topic, kafka)
        #expect(records.count == 2)
        for record in records {
            let sweep = try #require(try ReconciliationRow(bytes: record.value ?? []).sweep)
            #expect(record.key == Array(running.key.utf8))
            #expect(sweep.cancelledAt != nil && sweep.request == nil && sweep.run == nil)
        }
        await api.stop()
        await broker.stop()
    }

    @Test func `backfill continues when the admin listener is briefly unavailable`() async throws {
        let topic = TopicNames().reconciliation(.production)
        let broker = try DevBroker(topics: [topic: 2])
        let looks = Mutex(0)
        let complete = Mutex<Sweep?>(nil)
        let known = sweeps
        let api = try FakeReadAPI { _ in
            let look = looks.withLock { count in
                count += 1
                return count
            }
            // The sweep is listed before the request, and is then restarted.
            if look == 2 || look == 3 { return (503, "") }
            let sweeps = known + (complete.withLock { $0 }.map { [$0] } ?? [])
            return (200, String(decoding: SweepListing.json(sweeps), as: UTF8.self))
        }
        async let ended = sluicectl([
            "backfill", "--app", "com.example.app", "--from", days(3), "--to", days(2),
            "--reconciler.admin.url", api.url, "--kafka.bootstrap.servers", broker.bootstrapServers,
        ])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        try await waitUntil(within: .seconds(30)) {
            let asked = try await records(of: topic, kafka).last
            guard var sweep = try asked.flatMap({ try ReconciliationRow(bytes: $0.value ?? []).sweep }),
                let range = sweep.request?.range
            else { return false }
            let run = SweepRun(startedAt: Signed.now, range: range, windows: 86_400_000)
            sweep.begin(run)
            sweep.finish(run, at: Signed.now, nextAt: nil)
            complete.withLock { [sweep] in $0 = sweep }
            return true
        }
        let (code, printed) = await ended
        #expect(code == 0, "\(printed.complaints)")
        #expect(printed.complaints.contains { $0.contains("the backfill continues") })
        await api.stop()
        await broker.stop()
    }

    @Test func `a reconciler that has not read its sweeps is distinguished from one without a key`() async throws {
        let api = try FakeReadAPI(status: 200, body: String(decoding: SweepListing.json([]), as: UTF8.self))
        let (code, printed) = await sluicectl([
            "backfill", "--app", "com.example.app", "--from", days(3), "--reconciler.admin.url", api.flag[1],
            "--kafka.bootstrap.servers", "127.0.0.1:1",
        ])
        #expect(code == 1)
        #expect(printed.complaints.contains { $0.contains("is still loading its sweeps") })
        await api.stop()
    }

    @Test func `a complaint reports the notifications that a backfill did not publish`() {
        var run = SweepRun(startedAt: 0, range: SweepRange(from: 0, to: 60_000), windows: 60_000)
        run.counts.published = 3
        #expect(BackfillCommand.complaint(about: run) == nil)
        run.counts.refused = 2
        run.counts.quarantined = 1
        #expect(BackfillCommand.complaint(about: run) == "incomplete; 3 not published: see sluicectl quarantine list")
        run.narrowWindow(windows: 60_000)
        #expect(BackfillCommand.complaint(about: run)?.contains("1 windows could not be read") == true)
    }

    @Test func `backfill refuses an empty range and an app without a key before it writes a request`() async throws {
        let api = try api()
        let flags = ["--reconciler.admin.url", api.flag[1], "--kafka.bootstrap.servers", "127.0.0.1:1"]
        let (empty, _) = await sluicectl(
            ["backfill", "--app", "com.example.app", "--from", days(2), "--to", days(3)]
                + flags)
        #expect(empty == 64)
        let (other, printed) = await sluicectl(
            ["backfill", "--app", "com.example.other", "--from", days(3)] + flags)
        #expect(other == 1)
        #expect(printed.complaints.contains { $0.contains("has no key for com.example.other") })
        await api.stop()
    }
}
