import AppStoreModel
import AppStoreSigning
import Cryptography
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

/// Responses that Apple may send, and some that it should not.
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

    /// Returns a server on which scheduled sweeps find nothing. The backfill receives the test's responses.
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

    @Test func `an expired page token restarts its window in two halves, and nothing is published twice`()
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

    @Test func `an unchanged page token ends the reading after one repeat, and is counted`() async throws {
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

    @Test func `a history signed before Apple changed its certificate is published`() async throws {
        let day: Int64 = 86_400_000
        let now = VirtualClock.start / 1_000
        let installation = try await ReconcilerInstallation(leaf: {
            $0.validity = CertificateValidity(notBefore: now - 700 * 86_400, notAfter: now - 10 * 86_400)
        })
        let range = SweepRange(from: VirtualClock.start - 50 * day, to: VirtualClock.start - 10 * day)
        let signed = VirtualClock.start - 40 * day
        let notification = installation.notification(1, signed: signed)
        let payload = String(
            decoding: try notification.signed(by: JWSSigner(installation.pki)), as: UTF8.self)
        let server = try server(range) { question in
            let (from, to) = (question.body["startDate"]?.integer ?? 0, question.body["endDate"]?.integer ?? 0)
            return HistoryServer.page(from <= signed && signed < to ? [payload] : [])
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.published == 1)
        #expect(sweep.last?.counts.notBroughtIn == 0)
        #expect(try await installation.published() == [ReconcilerInstallation.uuid(1): 1])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a window that Apple refuses is narrowed, skipped and reported, and the others are read`() async throws {
        let installation = try await ReconcilerInstallation()
        let payloads = try (1...2).map { try signed(installation, $0) }
        let range = range
        let bad = range.from + 3_601_000
        let server = try server(range) { question in
            guard let from = question.body["startDate"]?.integer, let to = question.body["endDate"]?.integer else {
                return HistoryServer.error(400, 4_000_000)
            }
            if from <= bad, bad < to { return HistoryServer.error(400, 4_000_001) }
            return HistoryServer.page(from > bad ? [payloads[1]] : [payloads[0]])
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        var sweep: Sweep?
        try await waitUntil(within: .seconds(120)) {
            installation.clock.advance(by: .seconds(61))
            try await Task.sleep(for: .milliseconds(50))
            sweep = try await installation.sweeps()["backfill-1"]
            return sweep?.last != nil
        }
        let run = try #require(sweep?.last)
        #expect(run.counts.unread == 1)
        let window = try #require(run.unread.first)
        #expect(window.from <= bad && bad < window.to && window.to - window.from <= 120_000)
        #expect(
            try await installation.published()
                == [ReconcilerInstallation.uuid(1): 1, ReconcilerInstallation.uuid(2): 1])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a failure after further pages of a window counts as the first`() async throws {
        let installation = try await ReconcilerInstallation()
        let next = ["a": "b", "b": "c", "c": nil] as [String: String?]
        let attempts = Mutex<[String: Int]>([:])
        let range = range
        let server = try server(range) { question in
            guard let token = question.token else { return HistoryServer.page([], next: "a") }
            let attempt = attempts.withLock {
                $0[token, default: 0] += 1
                return $0[token] ?? 0
            }
            // The number of requests in one attempt of the sweep.
            guard attempt > 6 else { return HistoryServer.error(500, 5_000_001) }
            return HistoryServer.page([], next: next[token] ?? nil)
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        var (counts, sweep): ([Int64], Sweep?) = ([], nil)
        try await waitUntil(within: .seconds(120)) {
            try await Task.sleep(for: .milliseconds(50))
            sweep = try await installation.sweeps()["backfill-1"]
            if let count = sweep?.run?.failure?.count {
                counts.append(count)
                installation.clock.advance(by: .seconds(61))
            }
            return sweep?.last != nil
        }
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == 1 })
        #expect(sweep?.last?.counts.unread == 0)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `failed deliveries are swept hourly while a long sweep of everything is in progress`() async throws {
        let installation = try await ReconcilerInstallation()
        let pages = Atomic<Int>(0)
        let server = try HistoryServer { question in
            guard question.body["onlyFailures"]?.bool != true, !question.isAboutConsumption else {
                return HistoryServer.page([])
            }
            return HistoryServer.page([], next: "page-\(pages.add(1, ordering: .relaxed).newValue)")
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await waitUntil { pages.load(ordering: .relaxed) > 3 }
        let before = try await installation.wait(for: .failures) { $0.last != nil }
        installation.clock.advance(by: .seconds(3_601))
        try await installation.wait(for: .failures) {
            $0.last?.startedAt ?? 0 >= (before.last?.startedAt ?? 0) + Self.hour
        }
        #expect(try await installation.sweeps()["everything"]?.isRunning == true)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a notification that Apple did not sign is refused, quarantined and counted, and does not delay others`()
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
        #expect(sweep.last?.counts.notBroughtIn == 2)
        #expect(sweep.last?.counts.published == 1)
        // Another sweep finds them again, and quarantines none of them twice.
        try await installation.backfill("2", range)
        let second = try await installation.wait(for: .backfill("2")) { $0.last != nil }
        #expect(second.last?.counts.notBroughtIn == 2)
        let kept = try await installation.kafka.records(of: [installation.topics.quarantine], partitions: 1)
            .map { QuarantineRecord(key: $0.key, value: $0.value, headers: $0.headers) }
        #expect(Set(kept.map { String(decoding: $0.receivedBytes, as: UTF8.self) }) == [forged, "a.b.c"])
        #expect(kept.count == 2)
        #expect(kept.allSatisfy { $0.source == .history && $0.bundleId?.rawValue == ReconcilerInstallation.app })
        #expect(try await installation.published() == [ReconcilerInstallation.uuid(1): 1])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test(arguments: [nil, "5000"] as [String?])
    func `a refused object that both passes find is counted once, even if Kafka does not accept it`(
        _ maximumBytes: String?
    ) async throws {
        let installation = try await ReconcilerInstallation()
        let forged = try signed(installation, 1) + String(repeating: "A", count: 5_000)
        let range = range
        let server = try HistoryServer { question in
            guard let from = question.body["startDate"]?.integer, from >= range.from, from < range.to,
                question.body["endDate"]?.integer ?? 0 <= range.to
            else { return HistoryServer.page([]) }
            return HistoryServer.page([forged])
        }
        let further = maximumBytes.map { ["--kafka.message.max.bytes", $0] } ?? []
        let reconciler = try await RunningReconciler(
            installation, try installation.configuration(url: server.url, further))
        try await installation.backfill("1", range)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.refused == 1)
        #expect(sweep.last?.counts.swept == 2)
        let kept = try await installation.kafka.records(of: [installation.topics.quarantine], partitions: 1)
        #expect(kept.count == (maximumBytes == nil ? 1 : 0))
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `notifications quarantined by the ingress are not quarantined again`() async throws {
        let installation = try await ReconcilerInstallation()
        let signer = JWSSigner(installation.pki)
        let payloads = try (1...3).map { number in
            let uuid = number == 3 ? "no-uuid" : ReconcilerInstallation.uuid(number)
            let payload: JSONObject = [
                "notificationType": "TEST", "notificationUUID": .string(uuid), "version": "1.0",
                "signedDate": .integer(VirtualClock.start - 9 * Self.hour),
                "data": [
                    "bundleId": .string(ReconcilerInstallation.app), "appAppleId": 1_234_567_890,
                    "environment": "Production",
                ],
            ]
            return try signer.sign(String(decoding: JSONValue.object(payload).json, as: UTF8.self))
        }
        // Records as the ingress writes them: one with its notificationUUID and one without.
        try await installation.write(
            ([(0, NotificationUUID(ReconcilerInstallation.uuid(1))), (2, nil)] as [(Int, NotificationUUID?)]).map {
                index, uuid in
                QuarantineRecord(
                    reason: "profile_version", receivedAt: nil, notificationUUID: uuid,
                    receivedBytes: Array(#"{"signedPayload":"\#(payloads[index])"}"#.utf8)
                ).produced(to: installation.topics.quarantine)
            })
        let range = range
        let server = try server(range) { _ in HistoryServer.page(payloads) }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.quarantined == 1)
        let kept = try await installation.kafka.records(of: [installation.topics.quarantine], partitions: 1)
        #expect(kept.count == 3)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a dry run reports missing notifications and publishes nothing`() async throws {
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

    @Test func `a dry run that is interrupted within a window counts each notification once`() async throws {
        let installation = try await ReconcilerInstallation()
        let payloads = try (1...2).map { try signed(installation, $0) }
        let isRefused = Atomic<Bool>(true)
        let range = range
        let server = try server(range) { question in
            guard question.token != nil else { return HistoryServer.page([payloads[0]], next: "page-2") }
            return isRefused.load(ordering: .relaxed) ? (401, [:]) : HistoryServer.page([payloads[1]])
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range, isDryRun: true)
        let failed = try await installation.wait(for: .backfill("1")) { $0.run?.failure != nil }
        #expect(failed.run?.counts.missing == 0)
        isRefused.store(false, ordering: .relaxed)
        installation.clock.advance(by: .seconds(901))
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.missing == 2 && sweep.last?.counts.swept == 2)
        #expect(
            sweep.last?.missing.map(\.notificationUUID.rawValue)
                == [ReconcilerInstallation.uuid(1), ReconcilerInstallation.uuid(2)])
        #expect(try await installation.published().isEmpty)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a dry run counts a consumption request once, even after an expired page token`() async throws {
        let installation = try await ReconcilerInstallation()
        let payload = try signed(installation, 1)
        let range = range
        let server = try HistoryServer { question in
            guard let from = question.body["startDate"]?.integer, let to = question.body["endDate"]?.integer,
                from >= range.from, from < range.to, to <= range.to
            else { return HistoryServer.page([]) }
            guard question.token == nil else { return HistoryServer.error(400, 4_000_017) }
            let isWhole = from == range.from && to == range.to
            if question.isAboutConsumption { return HistoryServer.page([payload]) }
            return HistoryServer.page(from == range.from ? [payload] : [], next: isWhole ? "expired" : nil)
        }
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await installation.backfill("1", range, isDryRun: true)
        let sweep = try await installation.wait(for: .backfill("1")) { $0.last != nil }
        #expect(sweep.last?.counts.missing == 1 && sweep.last?.counts.swept == 1)
        #expect(!server.questions.contains { $0.isAboutConsumption && $0.body["startDate"]?.integer == range.from })
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a refused key pauses the sweep, and it continues when the key is accepted`() async throws {
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
        // The identities are stored although the notifications were signed long ago.
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
