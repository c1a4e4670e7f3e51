import AppStoreModel
import EntitlementRules
import JSON
import Kafka
import Lifecycle
import Records
import TestSupport
import Testing

@testable import Entitlements

/// Records of the entitlements topic written by a process without product rules: sluice-reconciler adds facts that
/// Apple signed.
@Suite(.timeLimit(.minutes(5))) struct ContributedRecordTests {
    @Test func `the facts of a contributed record are merged, and the resulting answer is published`() async throws {
        let installation = try await Installation("contributed")
        let directory = try TemporaryDirectory()
        let life = PresentLife("1000")
        try await installation.write([life.bought.produced(in: installation.notifications(.production))])
        let service = try await RunningEntitlements(installation.configuration(data: directory.path))
        try await service.finish(1)
        let topic = installation.state(.production)
        let record = try #require(try await installation.read(topic).last)
        let before = try #require(record.value)
        var facts = try PurchaseFacts(published: before)
        facts.merge(try life.renewed.facts())
        let contributed = try facts.contributed(to: before)
        let members = try #require(try JSONValue(json: contributed).object)
        #expect(members["version"] == (try JSONValue(json: before).object?["version"]))
        #expect(members["active"] == [] || members["active"] == nil)

        try await installation.write([
            KafkaProducerRecord(topic: topic, partition: record.partition, key: record.key, value: contributed)
        ])
        try await waitUntil(within: .seconds(25)) {
            let records = try await installation.read(topic).filter { $0.key == record.key }
            let last = try records.last?.value.flatMap { try JSONValue(json: $0).object }
            return records.count >= 3 && last?["active"] == ["com.example.monthly"]
        }
        let body = try await service.get("?originalTransactionId=1000").body
        #expect(body["active"] == ["com.example.monthly"])
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `a contribution to a value without facts is rejected`() throws {
        let facts = try PresentLife("1000", now: 1_795_435_200_000).bought.facts()
        let error = #expect(throws: PurchaseFormatError.self) {
            try facts.contributed(to: Array(#"{"version":"1"}"#.utf8))
        }
        #expect(error?.code == .noIdentity)
    }
}
