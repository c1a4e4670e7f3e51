import AppStoreModel
import AppStoreSigning
import Foundation
import JSON
import Kafka
import PipelineTestSupport
import Reconciliation
import Records
import Synchronization
import TestSupport
import Testing

@testable import Reconciler
@testable import Simulator

/// Answers that Apple may give, and such as it should not.
@Suite(.timeLimit(.minutes(5))) struct HostileHistoryTests {
    static let hour: Int64 = 3_600_000

    /// A range of two hours, ten hours ago.
    private var range: SweepRange {
        SweepRange(from: VirtualClock.start - 10 * Self.hour, to: VirtualClock.start - 8 * Self.hour)
    }

    private func signed(_ installation: ReconcilerInstallation, _ number: Int) throws -> String {
        let notification = installation.notification(number, signed: VirtualClock.start - 9 * Self.hour)
        return String(decoding: try notification.signed(by: JWSSigner(installation.pki)), as: UTF8.self)
    }

    /// Sweeps that there always are find nothing; the backfill gets what the test gives.
    private func server(
        _ range: SweepRange, _ answer: @escaping @Sendable (HistoryServer.Question) -> (Int, JSONValue)
    ) throws -> HistoryServer {
        try HistoryServer { question in
            guard let from = question.body["startDate"]?.integer, from >= range.from, from < range.to,
                question.body["endDate"]?.integer ?? 0 <= range.to, !question.isAboutConsumption
            else { return HistoryServer.page([]) }
            return answer(question)
        }
    }

    @Test func `a page token that expired restarts its window in two halves, and nothing is published twice`()
        async throws
    {
        let installation = try await ReconcilerInstallation()
        let payloads = try (1...4).map { try signed(installation, $0) }
        let range = range
        let middle = (range.from + range.to) / 2
        let server = try server(range) { question in
            let isWhole =
                question.body["endDate"]?.integer == range.to && question.body["startDate"]?.integer == range.from
            switch (isWhole, question.token) {
            case (true, nil): return HistoryServer.page(Array(payloads[..<2]), next: "soon-expired")
            case (true, _): return HistoryServer.error(400, 4_000_017)
            default:
                return HistoryServer.page(
                    question.body["startDate"]?.integer == middle ? Array(payloads[2...]) : Array(payloads[..<2]))
            }
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.missing == 4)
        #expect(
            try await installation.published()
                == Dictionary(uniqueKeysWithValues: (1...4).map { (ReconcilerInstallation.uuid($0), 1) }))
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a page token that does not change ends the reading after one repeat, with an alert`() async throws {
        let installation = try await ReconcilerInstallation()
        let payload = try signed(installation, 1)
        let range = range
        let server = try server(range) { _ in HistoryServer.page([payload], next: "same") }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.run?.failure != nil }
        #expect(sweep.isRunning)
        #expect(reconciler.metric("sluice_reconciler_repeated_pages_total") == 1)
        #expect(server.questions.count { $0.token == "same" } == 1)
        #expect(try await installation.published() == [ReconcilerInstallation.uuid(1): 1])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `what is of another app or not signed by Apple is refused, counted, and holds nothing up`()
        async throws
    {
        let installation = try await ReconcilerInstallation()
        let (good, forged) = (try signed(installation, 1), try signed(installation, 2) + "AA")
        let range = range
        let server = try server(range) { _ in HistoryServer.page([forged, good, "a.b.c"]) }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.refused == 2)
        #expect(sweep.last?.counts.published == 1)
        #expect(try await installation.published() == [ReconcilerInstallation.uuid(1): 1])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a dry run says what is missing and changes nothing`() async throws {
        let installation = try await ReconcilerInstallation()
        let payload = try signed(installation, 1)
        let range = range
        let server = try server(range) { _ in HistoryServer.page([payload]) }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range, isDryRun: true)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.missing == 1)
        #expect(sweep.last?.counts.published == 0)
        #expect(sweep.last?.missing.map(\.notificationUUID.rawValue) == [ReconcilerInstallation.uuid(1)])
        #expect(try await installation.published().isEmpty)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a refused key makes the sweep wait, and it goes on when the key is right`() async throws {
        let installation = try await ReconcilerInstallation()
        let payload = try signed(installation, 1)
        let isRefused = Atomic<Bool>(true)
        let range = range
        let server = try server(range) { _ in
            isRefused.load(ordering: .relaxed) ? (401, [:]) : HistoryServer.page([payload])
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        try await installation.wait(for: .backfill("1")) { $0.run?.failure != nil }
        isRefused.store(false, ordering: .relaxed)
        installation.clock.advance(by: .seconds(901))
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.failure == nil)
        #expect(sweep.last?.counts.published == 1)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
    func `captured Apple samples in the history are accepted and published with origin history`() async throws {
        let samples = try TestVectors.appleSamples()
        let facts = try #require(samples.first?.facts)
        let installation = try await ReconcilerInstallation(app: (facts.bundleId, facts.appAppleId))
        for sample in samples {
            let captured = try #require(CapturedNotification(Array(sample.signedPayload.utf8)))
            #expect(installation.api.list(captured))
        }
        installation.clock.advance(by: .seconds(600))
        let reconciler = try await RunningReconciler(
            installation,
            try installation.configuration([
                "--apps", "\(facts.bundleId):\(facts.appAppleId)", "--apps.\(facts.bundleId).environments", "Sandbox",
            ]))
        let sweep = try await installation.wait(for: .failures, .sandbox) { $0.last != nil }
        #expect(sweep.last?.counts.published == Int64(samples.count))
        let records = try await installation.notifications(.sandbox)
        #expect(Set(records.compactMap(\.notificationUUID?.rawValue)) == Set(samples.map(\.facts.notificationUUID)))
        #expect(records.count == samples.count)
        #expect(records.allSatisfy { $0.origin == .history && $0.trust == .signed })
        // They are remembered, although they were signed long ago.
        installation.clock.advance(by: .seconds(7_200))
        let next = try await installation.wait(for: .failures, .sandbox) {
            $0.last?.startedAt ?? 0 > sweep.last?.startedAt ?? 0
        }
        #expect(next.last?.counts.missing == 0)
        #expect(next.last?.counts.swept ?? 0 >= samples.count)
        await reconciler.stop()
        await installation.stop()
    }
}
