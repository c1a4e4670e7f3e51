import JSONTestSupport
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Operator events of the executables, started as an operator would.
    @Suite struct OperatorEvents {
        @Test func `the start and the stop of members are in the topic, with release and instance`() async throws {
            try await Harness.open { harness in
                try await harness.startAndStopMembers(on: try await harness.embeddedBroker())
            }
        }
    }

    @Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .timeLimit(.minutes(10)))
    struct OperatorEventsOnApacheKafka {
        @Test func `the start and the stop of members are in the topic, with release and instance`() async throws {
            try await Harness.open { harness in
                try await harness.startAndStopMembers(on: try await harness.apacheKafka())
            }
        }
    }

    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"), .timeLimit(.minutes(10)))
    struct OperatorEventRightsOnApacheKafka {
        private static let executable = "sluice-ingress"
        private static let on = ["--operations.events", "true"]

        @Test func `events are published with the printed rights, and nothing is denied`() async throws {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [Self.executable])
                try await secured.grant(Self.executable, Self.on)
                let ingress = try await harness.ingress(
                    on: secured.broker, for: try await harness.simulatedApp(),
                    settings: try secured.settings(of: Self.executable) + Self.on)
                await ingress.process.stop()
                let topic = secured.administrator.topics.operations
                let types = try await secured.administrator.records(of: topic).map { $0.header("ce_type")?.text }
                #expect(types == ["dev.sluice.member.started", "dev.sluice.member.stopped"])
                #expect(secured.denials.isEmpty, "\(secured.denials.prefix(5))")
                try await secured.cluster.stop()
            }
        }
    }
}

extension Harness {
    fileprivate func startAndStopMembers(on broker: Broker) async throws {
        let on = ["--operations.events", "true"]
        let ingress = try await ingress(on: broker, for: try await simulatedApp(), settings: on)
        let entitlements = try await entitlements(on: broker, settings: on)
        await entitlements.process.stop()
        await ingress.process.stop()
        // This one does not publish events.
        let silent = try await self.entitlements(on: broker)
        await silent.process.stop()

        let records = try await broker.records(of: broker.topics.operations)
        let schema = try JSONSchema.deployed("operator-event.schema.json")
        for record in records { #expect(schema.faults(in: record.value ?? []) == []) }
        let types = records.map { "\($0.header("ce_source")?.text ?? "") \($0.header("ce_type")?.text ?? "")" }
        #expect(types.count == 4, "\(types)")
        for executable in ["sluice-ingress", "sluice-entitlements"] {
            let own = try records.filter { record in
                try text(record, "executable") == executable
            }
            #expect(
                own.compactMap { $0.header("ce_type")?.text } == [
                    "dev.sluice.member.started", "dev.sluice.member.stopped",
                ])
            // One process is one instance.
            #expect(Set(try own.map { try text($0, "instance") }).count == 1)
            let version = try await run(Executable(executable, arguments: ["--version"]))
            let release = try text(try #require(own.first), "release")
            #expect("\(version)".contains(release), "\(version)")
        }
    }

    private func text(_ record: KafkaRecord, _ member: String) throws -> String {
        try #require(JSON.object(record.value ?? [])?.text(member))
    }
}
