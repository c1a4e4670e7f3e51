import AppStoreModel
import Foundation
import Kafka
import OperatorEventsTestSupport
import PipelineTestSupport
import Reconciliation
import Records
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Reconciler

/// Compares Apple's history with the topic.
@Suite(.timeLimit(.minutes(30))) struct CompletenessTests {
    static let hour: Int64 = 3_600_000
    static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"
    /// Number of notifications in the history, and number of those missing from the topic.
    static let (all, lost) = isLong ? (20_000, 500) : (600, 30)

    /// Time limit of a complete sweep, in which the simulator signs each page and this process verifies it.
    static let limit = Duration.seconds(isLong ? 900 : 120)

    /// Writes everything except the lost notifications to the topic. In Apple's history four of the five lost ones
    /// failed, and one was acknowledged.
    private func lose(_ installation: ReconcilerInstallation) async throws -> Set<String> {
        var records: [KafkaProducerRecord] = []
        var lost: Set<String> = []
        for number in 0..<Self.all {
            let isLost = number % (Self.all / Self.lost) == 3
            let notification = installation.notification(
                number, number % 50 == 3 ? .consumptionRequest : .oneTimeCharge,
                signed: VirtualClock.start - 20 * Self.hour + Int64(number) * 19 * Self.hour / Int64(Self.all))
            let isSeen = !isLost || lost.count % 5 == 4
            installation.register(notification, acknowledged: isSeen)
            if isLost {
                lost.insert(notification.notificationUUID.rawValue)
            } else {
                records.append(installation.record(notification))
            }
        }
        try await installation.write(records)
        return lost
    }

    @Test func `undelivered notifications are found and published once, even across a restart`()
        async throws
    {
        let installation = try await ReconcilerInstallation()
        let lost = try await lose(installation)
        #expect(lost.count == Self.lost)
        let isHeld = Atomic<Bool>(false)
        let pages = Self.all / 40 + 12
        let first = try await RunningReconciler(installation, try installation.configuration(data: "first")) {
            guard installation.api.requests(of: .getNotificationHistory) >= pages else { return }
            // Pauses the sweep of all notifications midway until it is cancelled.
            isHeld.store(true, ordering: .relaxed)
            try await untilCancelled()
        }
        try await waitUntil(within: Self.limit) { isHeld.load(ordering: .relaxed) }
        await first.stop()
        let begun = try #require(try await installation.sweeps()["everything"])
        #expect(begun.isRunning)
        let before = installation.api.requests(of: .getNotificationHistory)
        let restart = installation.clock.now

        // Start the reconciler on another machine, without the first machine's disk.
        let second = try await RunningReconciler(installation, try installation.configuration(data: "second"))
        let sweep = try await installation.wait(for: .everything, within: Self.limit) { $0.last != nil }
        #expect(sweep.last?.startedAt == begun.run?.startedAt)
        let published = try await installation.published()
        #expect(Set(published.keys) == lost)
        #expect(published.values.allSatisfy { $0 == 1 })
        #expect(installation.api.busiestSecond(of: .getNotificationHistory) <= 10)
        // Pages read before the first one ended are not read again, except for the page that was not saved.
        let (saved, all) = (begun.run?.counts.calls ?? 0, sweep.last?.counts.calls ?? 0)
        #expect(saved > 0)
        // The second may have swept the failures if the first was assigned its partition later.
        let failures = try await installation.wait(for: .failures) { $0.last != nil }.last
        let others = failures.map { $0.startedAt >= restart ? $0.counts.calls : 0 } ?? 0
        // A rebalance, which may happen on a slow machine, repeats a page.
        let after = Int64(installation.api.requests(of: .getNotificationHistory) - before)
        #expect(after < all + others - saved / 2)

        // On the next day nothing is missing.
        installation.clock.advance(by: .seconds(25 * 3_600))
        for kind in [SweepKind.everything, .failures] {
            let next = try await installation.wait(for: kind, within: Self.limit) {
                $0.last?.startedAt ?? 0 > VirtualClock.start + 24 * Self.hour
            }
            #expect(next.last?.counts.missing == 0)
            #expect(next.last?.counts.swept ?? 0 > 0)
        }
        #expect(try await installation.published().values.reduce(0, +) == lost.count)
        #expect(second.metric("sluice_notifications_missing{") == 0)
        await second.stop()
        await installation.stop()
    }

    @Test func `a sweep stops while its group is paused, and continues from its last page`() async throws {
        let installation = try await ReconcilerInstallation()
        let lost = try await lose(installation)
        func write(_ state: String) async throws {
            let value = #"{"version":1,"state":"\#(state)","reason":"r","author":"ann","at":"2026-11-23T12:00:00Z"}"#
            try await installation.write([
                KafkaProducerRecord(
                    topic: installation.topics.control, key: Array("sluice-reconciler".utf8), value: Array(value.utf8))
            ])
        }
        let isHeld = Atomic<Bool>(false)
        let isCancelled = Atomic<Bool>(false)
        let pages = Self.all / 40 + 12
        let reconciler = try await RunningReconciler(installation, try installation.configuration()) {
            guard installation.api.requests(of: .getNotificationHistory) >= pages,
                !isHeld.exchange(true, ordering: .relaxed)
            else { return }
            // Pauses the sweep of all notifications midway until it is cancelled.
            defer { isCancelled.store(true, ordering: .relaxed) }
            try await untilCancelled()
        }
        try await waitUntil(within: Self.limit) { isHeld.load(ordering: .relaxed) }
        try await write("paused")
        try await waitUntil { isCancelled.load(ordering: .relaxed) }
        let paused = try await installation.wait(for: .everything) { $0.isRunning }
        #expect(reconciler.metric("sluice_consumer_paused{") == 1)
        let requests = installation.api.requests(of: .getNotificationHistory)

        try await write("running")
        let sweep = try await installation.wait(for: .everything, within: Self.limit) { $0.last != nil }
        #expect(sweep.last?.startedAt == paused.run?.startedAt)
        #expect(installation.api.requests(of: .getNotificationHistory) > requests)
        let published = try await installation.published()
        #expect(Set(published.keys) == lost)
        #expect(published.values.allSatisfy { $0 == 1 })
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `an API that fails three times in ten changes only the duration`() async throws {
        let installation = try await ReconcilerInstallation()
        let lost = try await lose(installation)
        let shares: [(ServerAPIFaults.Kind, Int)] = [
            (.rateLimit, 300), (.internalError, 800), (.retryableError, 400), (.reset, 700), (.malformed, 300),
            (.lost, 500),
        ]
        installation.api.faults = try #require(
            ServerAPIFaults(Dictionary(uniqueKeysWithValues: shares.map { ($0, Percentage(basisPoints: $1) ?? .zero) }))
        )
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        try await waitUntil(within: Self.limit) {
            // A sweep that waits after several failures resumes when its retry is due.
            installation.clock.advance(by: .seconds(30))
            try await Task.sleep(for: .milliseconds(50))
            return try await installation.sweeps()["everything"]?.last != nil
        }
        let published = try await installation.published()
        #expect(Set(published.keys) == lost)
        #expect(published.values.allSatisfy { $0 == 1 })
        #expect(reconciler.metric("sluice_reconciler_failures_total{cause=\"api\"}") > 0)
        #expect(installation.api.busiestSecond(of: .getNotificationHistory) <= 10)
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `a waiting backfill, or one of an app that is not configured, ends when it is cancelled`() async throws {
        let installation = try await ReconcilerInstallation()
        let day = 24 * Self.hour
        installation.register(
            installation.notification(1, signed: VirtualClock.start - 20 * day), acknowledged: false)
        let isBegun = Atomic<Bool>(false)
        let reconciler = try await RunningReconciler(installation, try installation.configuration()) {
            // The first one is held until the end of the test.
            guard try await installation.sweeps()["backfill-1"]?.isRunning == true else { return }
            isBegun.store(true, ordering: .relaxed)
            try await untilCancelled()
        }
        for kind in [SweepKind.failures, .everything] { try await installation.wait(for: kind) { $0.last != nil } }
        let range = SweepRange(from: VirtualClock.start - 21 * day, to: VirtualClock.start - 19 * day)
        try await installation.backfill("1", range)
        try await waitUntil(within: .seconds(60)) { isBegun.load(ordering: .relaxed) }
        try await installation.backfill("2", range)
        try await installation.backfill("3", range, app: "com.example.removed")
        try await installation.cancel(backfill: "2")
        try await installation.cancel(backfill: "3", app: "com.example.removed")
        for id in ["2", "3"] {
            let ended = try await installation.wait(for: .backfill(id), within: .seconds(20)) { $0.last != nil }
            #expect(ended.last?.isCancelled == true)
            #expect(ended.due == nil)
        }
        #expect(try await installation.sweeps()["backfill-1"]?.isRunning == true)
        #expect(try await installation.published().isEmpty)
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `a backfill cancelled in the middle stops there, and its published records remain`() async throws {
        let installation = try await ReconcilerInstallation()
        let day = 24 * Self.hour
        for number in 0..<200 {
            // These notifications are older than the range of scheduled sweeps.
            installation.register(
                installation.notification(number, signed: VirtualClock.start - 20 * day + Int64(number) * 60_000),
                acknowledged: false)
        }
        let isCancelled = Atomic<Bool>(false)
        let reconciler = try await RunningReconciler(installation, try installation.configuration()) {
            // Hold the sweep between two pages until it is cancelled.
            guard installation.api.requests(of: .getNotificationHistory) >= 6,
                try await installation.sweeps()["backfill-1"]?.isRunning == true,
                !isCancelled.exchange(true, ordering: .relaxed)
            else { return }
            try await untilCancelled()
        }
        for kind in [SweepKind.failures, .everything] { try await installation.wait(for: kind) { $0.last != nil } }
        try await installation.backfill(
            "1", SweepRange(from: VirtualClock.start - 21 * day, to: VirtualClock.start - 19 * day))
        try await waitUntil(within: .seconds(60)) { isCancelled.load(ordering: .relaxed) }
        try await installation.cancel(backfill: "1")
        let ended = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(ended.last?.isCancelled == true)
        #expect(ended.due == nil)
        let published = try await installation.published()
        #expect(published.count < 200)
        #expect(published.values.allSatisfy { $0 == 1 })
        // Another backfill can now run.
        try await installation.backfill(
            "2", SweepRange(from: VirtualClock.start - 21 * day, to: VirtualClock.start - 19 * day))
        let complete = try await installation.wait(for: .backfill("2")) { $0.last != nil }
        #expect(complete.last?.isCancelled == false)
        #expect(try await installation.published().count == 200)
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `a sweep of everything runs although more than a thousand sweeps are known`() async throws {
        let installation = try await ReconcilerInstallation()
        let topic = installation.topics.reconciliation(.production)
        // Ended backfills are kept for 30 days, and are listed before the other sweeps of their app.
        try await installation.write(
            (0..<1_000).map { number in
                var sweep = Sweep(.production, BundleId(ReconcilerInstallation.app), .backfill("\(number)"))
                let run = SweepRun(startedAt: VirtualClock.start, range: SweepRange(from: 0, to: 1), windows: 1)
                sweep.begin(run)
                sweep.finish(run, at: VirtualClock.start, nextAt: nil)
                let row = ReconciliationRow.sweep(sweep)
                return KafkaProducerRecord(topic: topic, key: row.key, value: row.bytes)
            })
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        try await installation.wait(for: .everything) { $0.last != nil }
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `sweeps begun by a clock that was ahead run again after its correction`() async throws {
        let installation = try await ReconcilerInstallation()
        let ahead = VirtualClock.start + 30 * 24 * Self.hour
        try await installation.write(
            [SweepKind.failures, .everything].map { kind in
                var sweep = Sweep(.production, BundleId(ReconcilerInstallation.app), kind)
                let run = SweepRun(
                    startedAt: ahead, range: SweepRange(from: ahead - 48 * Self.hour, to: ahead), windows: Self.hour)
                sweep.begin(run)
                sweep.finish(run, at: ahead, nextAt: ahead + Self.hour)
                let row = ReconciliationRow.sweep(sweep)
                return KafkaProducerRecord(
                    topic: installation.topics.reconciliation(.production), key: row.key, value: row.bytes)
            })
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        for kind in [SweepKind.failures, .everything] {
            try await installation.wait(for: kind) { $0.last?.startedAt ?? ahead < ahead }
        }
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `consumption requests are published before anything else`() async throws {
        let installation = try await ReconcilerInstallation(partitions: 1)
        for number in 0..<60 {
            installation.register(
                installation.notification(
                    number, number % 10 == 9 ? .consumptionRequest : .oneTimeCharge,
                    signed: VirtualClock.start - 10 * Self.hour + Int64(number) * 60_000),
                acknowledged: false)
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        try await installation.wait(for: .failures) { $0.last != nil }
        let types = try await installation.notifications().map { $0.notification.notificationType }
        #expect(types.count == 60)
        #expect(types.prefix(6).allSatisfy { $0 == .consumptionRequest })
        #expect(types.dropFirst(6).allSatisfy { $0 == .oneTimeCharge })
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `a recent notification is not missing until its settling time is over`() async throws {
        let installation = try await ReconcilerInstallation()
        installation.register(
            installation.notification(1, signed: VirtualClock.start - 30_000), acknowledged: false)
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        try await installation.wait(for: .everything) { $0.last != nil }
        #expect(try await installation.published().isEmpty)
        installation.clock.advance(by: .seconds(3_700))
        try await installation.wait(for: .failures) { $0.last?.counts.missing == 1 }
        #expect(try await installation.published() == [ReconcilerInstallation.uuid(1): 1])
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `a sweep that finds missing notifications publishes one operator event`() async throws {
        let installation = try await ReconcilerInstallation()
        installation.register(
            installation.notification(1, signed: VirtualClock.start - Self.hour), acknowledged: false)
        let reconciler = try await RunningReconciler(
            installation, try installation.configuration(["--operations.events", "true"]))
        try await installation.wait(for: .everything) { $0.last != nil }
        try await installation.wait(for: .failures) { $0.last != nil }
        await reconciler.stop()
        let records = try await installation.kafka.records(of: [installation.topics.operations], partitions: 1)
        let lines = records.map { RecordedEvents.line(of: $0.value) }
        let findings = lines.filter { $0.hasPrefix("notifications.missing com.example.app ") }
        // Both sweeps run at once, and one or both find the notification before it is published.
        #expect((1...2).contains(findings.count), "\(lines)")
        #expect(findings.allSatisfy { $0.contains(#""environment":"Production""#) && $0.contains(#""missing":1,"#) })
        #expect(lines.count == findings.count + 2)
        await installation.stop()
    }

    @Test func `within a minute after an outage a sweep looks for missed notifications`() async throws {
        let installation = try await ReconcilerInstallation()
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        try await installation.wait(for: .everything) { $0.last != nil }
        try await installation.wait(for: .failures) { $0.last != nil }
        func arrive(_ number: Int) async throws {
            let notification = installation.notification(number, signed: installation.clock.now)
            installation.register(notification, acknowledged: true)
            try await installation.write([installation.record(notification)])
            try await waitUntil { reconciler.metric("sluice_state_published_total ") > Double(number) }
        }
        // Ten minutes of traffic with a notification each minute. The first notification ends the gap before the start.
        for number in 1...10 {
            installation.clock.advance(by: .seconds(60))
            try await arrive(number)
        }
        let known = try await installation.wait(for: .failures) { $0.last?.isWanted == true }
        #expect(reconciler.metric("sluice_reconciler_outages_total") == 1)
        // Twenty minutes without an ingress, then one notification arrives.
        let lost = installation.notification(500, .consumptionRequest, signed: installation.clock.now + 300_000)
        installation.clock.advance(by: .seconds(1_200))
        installation.register(lost, acknowledged: false)
        let recovery = installation.clock.now
        try await arrive(11)
        let sweep = try await installation.wait(for: .failures) {
            $0.last?.counts.missing == 1
        }
        #expect(reconciler.metric("sluice_reconciler_outages_total") == 2)
        #expect(sweep.last?.startedAt ?? 0 > known.last?.startedAt ?? 0)
        #expect(sweep.last?.startedAt ?? .max <= recovery + 60_000)
        #expect(try await installation.published() == [ReconcilerInstallation.uuid(500): 1])
        await reconciler.stop()
        await installation.stop()
    }
}
