import Foundation
import Kafka
import PipelineTestSupport
import Reconciliation
import Simulator
import TestSupport
import Testing

@testable import Reconciler

/// A month of traffic in which one notification in a hundred is lost. The figures of the reconciler must show exactly
/// the loss, and the topic must be complete at the end.
@Suite(.timeLimit(.minutes(30))) struct MonthOfTrafficTests {
    private static let hour: Int64 = 3_600_000
    private static let days = 30
    private static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"
    /// Number of notifications in a day.
    private static let daily = isLong ? 400 : 40
    private static let all = days * daily
    /// The numbers of the lost notifications: a random hundredth, so that some days lose none and others several.
    private static let lost: Set<Int> = {
        var random = TestSupport.SeededGenerator(seed: 33)
        return Set((0..<all).shuffled(using: &random).prefix(all / 100))
    }()

    /// Registers the notifications of a day with Apple, and writes those that are not lost to the topic.
    private func arrive(on day: Int, from start: Int64, _ installation: ReconcilerInstallation) async throws {
        var records: [KafkaProducerRecord] = []
        for index in 0..<Self.daily {
            let number = day * Self.daily + index
            let signed = start + Int64(index) * 22 * Self.hour / Int64(Self.daily)
            let notification = installation.notification(number, signed: signed)
            // Apple counts a third of the lost notifications as delivered.
            installation.register(notification, acknowledged: !Self.lost.contains(number) || number % 3 == 0)
            if !Self.lost.contains(number) { records.append(installation.record(notification)) }
        }
        try await installation.write(records)
    }

    @Test func `over a month the figures show the lost hundredth, and nothing is missing at the end`() async throws {
        let installation = try await ReconcilerInstallation(partitions: 1)
        var reconciler: RunningReconciler?
        for day in 0..<Self.days {
            let start = installation.clock.now
            installation.clock.advance(by: .seconds(24 * 3_600))
            try await arrive(on: day, from: start, installation)
            let end = installation.clock.now
            if reconciler == nil {
                reconciler = try await RunningReconciler(installation, try installation.configuration())
            }
            try await installation.wait(for: .everything, within: .seconds(120)) {
                $0.last?.startedAt ?? 0 >= end
            }
        }
        let running = try #require(reconciler)
        let published = try await installation.published()
        #expect(Set(published.keys) == Set(Self.lost.map(ReconcilerInstallation.uuid)))
        #expect(published.values.allSatisfy { $0 == 1 })
        // The completeness before the repair: the notifications found by the sweeps, relative to all that Apple sent.
        let found = running.metric("sluice_reconciler_missing_total ")
        #expect(1 - found / Double(Self.all) == 0.99)
        #expect(running.metric("sluice_reconciler_published_total ") == found)
        // A day later, the sweep of everything finds the topic complete.
        let end = installation.clock.now
        installation.clock.advance(by: .seconds(25 * 3_600))
        let last = try await installation.wait(for: .everything, within: .seconds(120)) {
            $0.last?.startedAt ?? 0 > end
        }
        #expect(last.last?.counts.missing == 0)
        #expect(last.last?.counts.unread == 0)
        #expect(running.metric("sluice_notifications_missing{") == 0)
        await running.stop()
        await installation.stop()
    }
}
