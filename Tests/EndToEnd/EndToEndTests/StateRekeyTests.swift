import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// After partitions were added to keyed topics, the members answer again once the runbook has been followed.
    @Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)")) struct RekeyedStatesOnApacheKafka {
        @Test
        func `after partitions were added a state is copied by key, and a member with a new disk has all of it`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: 2)
                let client = HTTPClient()
                defer { client.close() }
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let group = ["--entitlements.group.id", harness.topics.prefix]
                try await broker.create(harness.topics.deadLetters(of: harness.topics.prefix, partitions: 2))
                let entitlements = try await harness.entitlements(on: broker, settings: group)
                var day = try RenewalDay(40, endingIn: 11...11, pki: harness.path("pki"))
                for body in try day.notifiedBefore() {
                    #expect(try await ingress.post(body, with: client).status == 200)
                }
                let purchases = day.states(at: day.start).keys.sorted()
                try await expect(purchases, entitlements, client)
                await entitlements.process.stop()

                let letters = harness.topics.deadLetters(of: harness.topics.prefix).map(\.name)
                let topics =
                    AppStoreEnvironment.published.flatMap { [broker.notifications($0), broker.entitlements($0)] }
                    + letters
                for topic in topics {
                    _ = try await broker.tool(
                        "kafka-topics.sh", ["--alter", "--topic", topic.rawValue, "--partitions", "4"])
                }
                try await expectRefusal(harness, broker, group)

                let state = broker.entitlements(.production)
                let copy = KafkaTopic(rawValue: "\(state).copy")
                try await broker.create([.state(copy, partitions: 4)])
                try await rekey(harness, broker, group, from: state, to: copy)
                for topic in AppStoreEnvironment.published.map(broker.entitlements) {
                    _ = try await broker.tool("kafka-topics.sh", ["--delete", "--topic", topic.rawValue])
                }
                try await broker.create(
                    harness.topics.state(partitions: 4).filter { spec in
                        AppStoreEnvironment.published.map(broker.entitlements).contains(spec.name)
                    })
                try await rekey(harness, broker, group, from: copy, to: state)

                let next = try await harness.entitlements(on: broker, data: "empty", settings: group)
                try await expect(purchases, next, client)
                await next.process.stop()
            }
        }

        private func expect(_ purchases: [String], _ member: Entitlements, _ client: HTTPClient) async throws {
            try #require(!purchases.isEmpty)
            try await waitUntil(within: .seconds(60)) {
                for purchase in purchases {
                    let answer = try? await member.answer(
                        originalTransactionId: purchase, environment: "Production", with: client)
                    guard answer != nil else { return false }
                }
                return true
            }
        }

        private func expectRefusal(_ harness: Harness, _ broker: Broker, _ group: [String]) async throws {
            let member = try await harness.run(
                Executable(
                    "sluice-entitlements",
                    arguments: broker.arguments + group + [
                        "--data.dir", harness.path("entitlements"), "--http.port", "0", "--admin.port", "0",
                    ]))
            #expect(member.end == .exit(78), "\(member)")
            #expect(member.errors.contains("sluicectl state rekey"), "\(member)")
        }

        private func rekey(
            _ harness: Harness, _ broker: Broker, _ group: [String], from source: KafkaTopic, to target: KafkaTopic
        ) async throws {
            let arguments =
                ["state", "rekey"] + broker.tapArguments + group
                + ["--topic", source.rawValue, "--to-topic", target.rawValue]
            let plan = try await harness.sluicectl(arguments)
            #expect(plan.end == .exit(1), "\(plan)")
            let done = try await harness.sluicectl(arguments + ["--yes"])
            #expect(done.end == .exit(0), "\(done)")
            #expect(try done.json.flag("ok") == true)
        }
    }
}
