import AppStoreModel
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The executables with exactly the rights that `sluicectl topics acls` prints, on a broker that denies all others.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct LeastPrivilegeOnApacheKafka {
        private static let ingress = "sluice-ingress"
        private static let entitlements = "sluice-entitlements"

        @Test func `ingress and entitlements do their work with the printed rights, and nothing is denied`()
            async throws
        {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [Self.ingress, Self.entitlements])
                for executable in [Self.ingress, Self.entitlements] { try await secured.grant(executable) }
                let app = try await harness.simulatedApp()
                let ingress = try await harness.ingress(
                    on: secured.broker, for: app, settings: try secured.settings(of: Self.ingress))
                let entitlements = try await harness.entitlements(
                    on: secured.broker, settings: try secured.settings(of: Self.entitlements))
                try await notify(ingress, harness)
                try await poison(secured.administrator)

                let topics = secured.administrator.topics
                try await expectRecords(in: topics.entitlements(.production), secured)
                try await expectRecords(in: topics.quarantine, secured)
                for letters in topics.deadLetters(of: Self.entitlements, partitions: 1) {
                    try await expectRecords(in: letters.name, secured)
                }
                // A second start reads what the first has written.
                let again = try await harness.ingress(
                    on: secured.broker, for: app, settings: try secured.settings(of: Self.ingress))
                try await notify(again, harness)
                for process in [ingress.process, entitlements.process, again.process] {
                    #expect(process.ended == nil, "\(process)")
                    #expect(!process.log.contains { $0.level == "warning" && "\($0.fields)".contains("Describe") })
                }
                #expect(secured.denials.isEmpty, "\(secured.denials.prefix(5))")
                try await expectDenial(on: topics.quarantine, secured) {
                    try await harness.ingress(
                        on: secured.broker, for: app, settings: try secured.settings(of: Self.ingress)
                    ).process
                }
                try await secured.cluster.stop()
            }
        }
    }
}

extension EndToEnd.LeastPrivilegeOnApacheKafka {
    /// Posts notifications of a purchase, and one that is quarantined.
    private func notify(_ ingress: Ingress, _ harness: Harness) async throws {
        let posted = try await harness.post(to: ingress, ["--scenario", "subscription-renewing"])
        #expect(!posted.isEmpty)
        #expect(posted.allSatisfy { $0.integer("status") == 200 }, "\(ingress.process)")
        let client = HTTPClient()
        defer { client.close() }
        #expect(try await ingress.post(try await harness.nonconformingNotification(), with: client).status == 200)
    }

    /// Writes a record to each notification topic that no consumer can handle.
    private func poison(_ broker: Broker) async throws {
        try await broker.write(
            broker.topics.notifications().map {
                KafkaProducerRecord(topic: $0.name, key: Array("a".utf8), value: Array("poison".utf8))
            })
    }

    private func expectRecords(in topic: KafkaTopic, _ secured: SecuredBroker) async throws {
        let isThere = try await eventually(within: .seconds(30)) {
            try await !secured.administrator.records(of: topic).isEmpty
        }
        #expect(isThere, "\(topic)")
    }

    /// Takes the right to describe the settings of a topic from the ingress: the next start misses it, its warning names
    /// the topic, and so does the broker's log, which without this could be silent about every refusal.
    private func expectDenial(
        on topic: KafkaTopic, _ secured: SecuredBroker, start: () async throws -> ChildProcess
    ) async throws {
        _ = try await secured.cluster.tool(
            "kafka-acls.sh",
            [
                "--remove", "--force", "--allow-principal", "User:\(Self.ingress)", "--operation", "DescribeConfigs",
                "--topic", topic.rawValue,
            ])
        let process = try await start()
        #expect(process.errors.contains("the settings of topic \(topic) cannot be read"), "\(process)")
        let isLogged = await eventually(within: .seconds(20)) {
            await pass(.milliseconds(100))
            return secured.denials.contains { $0.contains("resource = Topic:LITERAL:\(topic) ") }
        }
        #expect(isLogged)
    }
}
