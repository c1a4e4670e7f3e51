import AppStoreModel
import Kafka
import NotificationRecord
import PipelineRuntime
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

@Suite struct EntitlementsHandlerTests {
    let directory: TemporaryDirectory
    let store: EntitlementsStore
    let registry = MetricsRegistry()
    let handler: EntitlementsHandler

    init() throws {
        directory = try TemporaryDirectory()
        store = try EntitlementsStore(path: directory.database)
        handler = EntitlementsHandler(store: store, topics: TopicNames(), metrics: EntitlementsMetrics(registry))
    }

    private func metric(_ name: String) -> String? {
        String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test func `each record of a batch has its verdict, and the good ones are stored`() async throws {
        var wrong = lifeOfOne(chain: "2")[0]
        wrong.transaction?["expiresDate"] = "tomorrow"
        let records = [
            lifeOfOne(chain: "1")[0].record(),
            KafkaRecord(topic: "appstore.notifications.production", partition: 0, offset: 1, key: nil, value: nil),
            wrong.record(),
            lifeOfOne(chain: "3", environment: .sandbox)[0].record(in: "appstore.notifications.production"),
            lifeOfOne(chain: "4")[0].record(),
            lifeOfOne(chain: "5")[0].record(in: "another.topic"),
        ]
        let verdicts = try await handler.handle(records)
        #expect(
            verdicts == [
                .done, .skip("null_value"),
                .deadLetter(HandlerReason(code: "field_type", detail: "expiresDate: not a valid date")),
                .deadLetter(HandlerReason(code: "environment_mismatch", detail: "in the topic of Production")),
                .done, .deadLetter("unknown_topic"),
            ])
        #expect(try rows(directory.database).map(\.chain) == ["1", "4"])
        #expect(metric("sluice_entitlements_chains_changed_total") == "2")
    }

    @Test func `the topic decides the environment`() async throws {
        let record = lifeOfOne(environment: .sandbox)[0].record(in: "appstore.notifications.sandbox")
        #expect(try await handler.handle([record]) == [.done])
    }

    @Test func `a batch that is handed over again after its commit changes nothing`() async throws {
        let records = lifeOfOne().map { $0.record() }
        #expect(try await handler.handle(records) == Array(repeating: .done, count: 4))
        let before = try rows(directory.database)
        #expect(try await handler.handle(records) == Array(repeating: .done, count: 4))
        #expect(try rows(directory.database) == before)
        #expect(metric("sluice_entitlements_chains_changed_total") == "1")
    }

    @Test func `without the database no record is answered, not even a bad one`() async throws {
        store.close()
        let records = [
            lifeOfOne()[0].record(),
            KafkaRecord(topic: "appstore.notifications.production", partition: 0, offset: 1, key: nil, value: []),
        ]
        let error = await #expect(throws: EntitlementsStoreError.self) { _ = try await handler.handle(records) }
        #expect((error as (any Error)?) is any InfrastructureFault)
    }

    @Test func `late facts and disagreements are counted`() async throws {
        let life = lifeOfOne()
        _ = try await handler.handle([life[3].record()])
        _ = try await handler.handle([life[2].record()])
        let odd = Draft(
            "DID_RENEW", signed: on(1), chain: "9", status: 2, transaction: period("1", from: on(0), to: on(30)))
        _ = try await handler.handle([odd.record()])
        #expect(metric("sluice_entitlements_late_facts_total") == "1")
        #expect(metric("sluice_entitlements_status_disagreements_total") == "1")
    }
}
