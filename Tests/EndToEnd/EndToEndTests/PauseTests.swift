import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// A group that an operator pauses with `sluicectl`, with the executables started as an operator would.
    @Suite struct Pauses {
        @Test func `a pause survives a restart of the member, and the group continues without a loss`()
            async throws
        {
            try await Harness.open { harness in
                try await harness.pauseAndResume(on: try await harness.embeddedBroker())
            }
        }
    }

    @Suite(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)"), .timeLimit(.minutes(10)))
    struct PausesOnApacheKafka {
        @Test func `a pause survives a restart of the member, and the group continues without a loss`()
            async throws
        {
            try await Harness.open { harness in
                try await harness.pauseAndResume(on: try await harness.apacheKafka())
            }
        }

        @Test func `a group that Kafka does not know is refused unless it is new`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let arguments = ["pause", "sluice-refund", "--reason", "end-to-end test", "--author", "ann"]
                let refused = try await harness.sluicectl(arguments + broker.tapArguments)
                #expect(refused.end == .exit(64), "\(refused)")
                #expect("\(refused)".contains("sluice-refunds"))
                let accepted = try await harness.sluicectl(arguments + ["--new"] + broker.tapArguments)
                #expect(accepted.end == .exit(0), "\(accepted)")
            }
        }
    }
}

extension Harness {
    /// Pauses `sluice-entitlements` before its first start, posts notifications, restarts the member and resumes it.
    fileprivate func pauseAndResume(on broker: Broker) async throws {
        let ingress = try await ingress(on: broker, for: try await simulatedApp())
        let paused = try await sluicectl(
            ["pause", "sluice-entitlements", "--reason", "end-to-end test", "--author", "ann"] + broker.tapArguments)
        #expect(paused.end == .exit(0), "\(paused)")
        let first = try await entitlements(on: broker)
        let posted = try await post(
            to: ingress, ["--scenario", "subscription-life", "--accounts", "3"])
        let purchases = Set(posted.compactMap { $0.text("key") })
        #expect(purchases.count >= 3)
        await first.process.stop()

        let second = try await entitlements(on: broker, settings: ["--entitlements.staleness.limit", "1s"])
        let client = HTTPClient()
        defer { client.close() }
        // It is ready although its input is older than the limit, because it is paused on purpose.
        try await waitUntil(within: .seconds(60)) {
            guard await second.isReady(client) else { return false }
            let lag = try await second.metric("sluice_consumer_lag_records", client)
            return try await second.metric("sluice_entitlements_facts_stale{", client) > 0 && lag >= 3
        }
        #expect(await second.isReady(client))
        #expect(try await broker.states().isEmpty)
        let listed = try await sluicectl(["pauses"] + broker.tapArguments)
        let pause = try #require(try listed.json.objects("pauses").first)
        #expect(pause.text("group") == "sluice-entitlements" && pause.text("reason") == "end-to-end test")

        let resumed = try await sluicectl(["resume", "sluice-entitlements", "--author", "bob"] + broker.tapArguments)
        #expect(resumed.end == .exit(0), "\(resumed)")
        let isComplete = try await eventually(within: .seconds(60)) {
            let keys = try await broker.states().compactMap { state in
                state.text("originalTransactionId").map { "\(state.text("bundleId") ?? "")/\($0)" }
            }
            return Set(keys) == purchases
        }
        #expect(isComplete)
    }
}
