import HTTPClient
import Kafka
import KafkaDevBroker
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Ingress

/// Brokers with half the required throughput: the share of acknowledged records that are answered in time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct GoodputTests {
    /// The broker delays each response and receives one record at a time, which limits it to 20 records a second.
    private static let roundTrip = Duration.milliseconds(50)
    /// Interval between notifications: twice the broker's throughput.
    private static let interval = Duration.milliseconds(25)
    /// Time after which, without a limit, only records that waited too long are acknowledged. Each second adds half a
    /// second to the wait of the next record.
    private static let settling = Duration.seconds(11)
    private static let measured = Duration.seconds(6)

    /// Counts during the measured time.
    private struct Measurement {
        var acknowledged = 0
        var answered200 = 0
        var answered503 = 0
    }

    @Test func `at twice the brokers' capacity four fifths of the acknowledged records are answered 200`() async throws
    {
        let before = try await measure(slowAfter: nil)
        let after = try await measure(slowAfter: Limits.half)
        let text =
            "without a limit: 200 for \(before.answered200) of \(before.acknowledged) records acknowledged, "
            + "503 for \(before.answered503); with it: 200 for \(after.answered200) of \(after.acknowledged), "
            + "503 for \(after.answered503)"
        print(text)
        // Without the limit, the brokers work on requests that were already answered with 503. Some requests are
        // answered in time only because librdkafka drops records older than its own timeout.
        #expect(before.answered200 * 10 < before.acknowledged * 8, "\(text)")
        // The brokers are as busy as before, and nearly all of their work is useful.
        #expect(after.answered200 * 10 >= before.acknowledged * 8, "\(text)")
        #expect(after.answered200 * 10 >= after.acknowledged * 8, "\(text)")
    }

    private enum Limits {
        /// The limit in the settings of every ingress.
        static let half = Duration.milliseconds(2400)
    }

    private func measure(slowAfter: Duration?) async throws -> Measurement {
        let broker = try DevBroker()
        let count = Int((Self.settling + Self.measured) / Self.interval)
        let notifications = try TestAppStore.shared().corpus(count)
        var measurement = Measurement()
        try await IngressHarness.with(
            broker,
            { settings in
                settings.slowAfter = slowAfter
                // One record per request, one request after another.
                settings.kafka = try KafkaConfiguration(
                    bootstrapServers: broker.bootstrapServers,
                    properties: ["max.in.flight.requests.per.connection": "1", "batch.num.messages": "1"])
            },
            { harness async throws in
                try broker.setRoundTripTime(Self.roundTrip)
                let begun = ContinuousClock.now
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, notification) in notifications.enumerated() {
                        group.addTask {
                            try await Task.sleep(until: begun + Self.interval * number, clock: .continuous)
                            _ = try await harness.post(notification.body)
                        }
                    }
                    try await Task.sleep(until: begun + Self.settling, clock: .continuous)
                    let start = Self.counts(harness)
                    try await Task.sleep(until: begun + Self.settling + Self.measured, clock: .continuous)
                    let end = Self.counts(harness)
                    measurement = Measurement(
                        acknowledged: end.acknowledged - start.acknowledged,
                        answered200: end.answered200 - start.answered200,
                        answered503: end.answered503 - start.answered503)
                    try broker.setRoundTripTime(.zero)
                    try await group.waitForAll()
                }
            })
        await broker.stop()
        return measurement
    }

    private static func counts(_ harness: IngressHarness) -> Measurement {
        Measurement(
            acknowledged: harness.value("sluice_ingress_acknowledgement_duration_seconds_count"),
            answered200: harness.decisions("accepted", 200),
            answered503: harness.decisions("deadline", 503) + harness.decisions("kafka_slow", 503)
                + harness.decisions("kafka_timeout", 503) + harness.decisions("overload", 503))
    }
}
