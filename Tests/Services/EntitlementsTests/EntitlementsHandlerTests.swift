import AppStoreModel
import EntitlementRules
import JSON
import Kafka
import PipelineRuntime
import Records
import SQLite
import TestSupport
import Testing

@testable import Entitlements
@testable import KeyedState

@Suite struct EntitlementsHandlerTests {
    @Test func `each record of a batch has its verdict, and the good ones are stored`() throws {
        let rows = try RowsHarness()
        var wrong = lifeOfOne(purchase: "2")[0]
        wrong.transaction?["expiresDate"] = "tomorrow"
        let records = [
            lifeOfOne(purchase: "1")[0].record(),
            KafkaRecord(topic: "appstore.notifications.production", partition: 0, offset: 1, key: nil, value: nil),
            wrong.record(),
            lifeOfOne(purchase: "3", environment: .sandbox)[0].record(in: "appstore.notifications.production"),
            lifeOfOne(purchase: "4")[0].record(),
            lifeOfOne(purchase: "5")[0].record(in: "another.topic"),
        ]
        #expect(
            try rows.handle(records) == [
                .done, .skip("null_value"),
                .deadLetter(HandlerReason(code: "field_type", detail: "expiresDate: not a valid date")),
                .deadLetter(HandlerReason(code: "environment_mismatch", detail: "found in the Production topic")),
                .done, .deadLetter("unknown_topic"),
            ])
        #expect(Set(try rows.store.states().map(\.originalTransactionId.rawValue)) == ["1", "4"])
    }

    @Test func `the topic determines the environment`() throws {
        let record = lifeOfOne(environment: .sandbox)[0].record(in: "appstore.notifications.sandbox")
        #expect(try RowsHarness().handle([record]) == [.done])
    }

    @Test func `a batch that is redelivered after its commit changes nothing`() throws {
        let rows = try RowsHarness()
        let records = lifeOfOne().map { $0.record() }
        #expect(try rows.handle(records) == Array(repeating: .done, count: 4))
        let before = try rows.dump()
        #expect(try rows.handle(records) == Array(repeating: .done, count: 4))
        #expect(try rows.dump() == before)
    }

    @Test func `purchases of different apps and environments are separate`() throws {
        let rows = try RowsHarness()
        var other = lifeOfOne()[0]
        other.notification["data"] = .object(["environment": "Production", "bundleId": "com.other"])
        let sandbox = lifeOfOne(environment: .sandbox)[0]
        try rows.merge([lifeOfOne()[0].facts(), other.facts(), sandbox.facts()])
        #expect(try rows.store.states().count == 3)
    }

    @Test func `without the database no record gets a verdict`() throws {
        let rows = try RowsHarness()
        rows.store.close()
        let error = #expect(throws: StateError.self) { _ = try rows.handle([lifeOfOne()[0].record()]) }
        #expect((error as (any Error)?) is any InfrastructureFault)
    }

    @Test func `rows survive the process, and an unreadable row is never overwritten`() throws {
        let directory = try TemporaryDirectory()
        let first = try RowsHarness(path: directory.database)
        try first.merge(lifeOfOne().map { try $0.facts() })
        let dump = try first.dump()
        first.store.close()
        let again = try RowsHarness(path: directory.database)
        #expect(try again.dump() == dump)
        again.store.close()
        let database = try Database(path: directory.database)
        // The row is stored uncompressed.
        try database.run("UPDATE rows SET state = ?", [.blob(Array(#"{"formatVersion":9}"#.utf8))])
        database.close()
        let older = try RowsHarness(path: directory.database)
        let error = #expect(throws: StateError.self) { try older.merge(lifeOfOne().map { try $0.facts() }) }
        #expect(error?.code == .newer)
    }

    @Test func `a row is stored in less than half its size`() throws {
        let directory = try TemporaryDirectory()
        let rows = try RowsHarness(path: directory.database)
        try rows.merge(lifeOfOne().map { try $0.facts() })
        let size = try rows.store.states().map { rows.model.encode($0).count }.reduce(0, +)
        rows.store.close()
        let database = try Database(path: directory.database, access: .reader)
        defer { database.close() }
        let stored = try database.firstRow("SELECT sum(length(state)) FROM rows") { try $0.integer(0) } ?? 0
        #expect(stored > 0 && stored * 2 < size)
    }

    @Test func `a state that changes with time is published when due, without a notification`() throws {
        let rows = try RowsHarness()
        try rows.merge([lifeOfOne()[0].facts()], at: on(1))
        #expect(try Self.state(rows.store.log.last) == "ACTIVE true")
        #expect(try rows.store.publishPending(at: on(30) - 1) == 0)
        #expect(try rows.store.publishPending(at: on(30)) == 1)
        #expect(try Self.state(rows.store.log.last) == "RENEWING true")
        #expect(try rows.store.publishPending(at: on(30) + 3 * 3_600_000 - 1) == 0)
        #expect(try rows.store.publishPending(at: on(30) + 3 * 3_600_000) == 1)
        #expect(try Self.state(rows.store.log.last) == "EXPIRED false")
        #expect(try rows.store.publishPending(at: on(900)) == 0)
    }

    private static func state(_ record: KafkaRecord?) throws -> String {
        let value = try #require(record?.value)
        let grant = try #require(try JSONValue(json: value).object).allGrants.first
        return "\(grant?["state"]?.string ?? "-") \(grant?["isEntitled"]?.bool ?? false)"
    }

    /// The old and the new purchase have different keys, and usually different partitions.
    @Test func `a migration transfers the account from another partition, in either order`() throws {
        let old = lifeOfOne(purchase: "1")[0]
        var new = lifeOfOne(purchase: "2", token: nil)[0]
        new.transaction?["previousOriginalTransactionId"] = "1"
        var dumps: Set<[String]> = []
        for order in [[old, new], [new, old]] {
            let rows = try RowsHarness(partitions: 12)
            for draft in order {
                try rows.merge([draft.facts()], at: on(1))
            }
            for record in rows.store.log {
                #expect(record.partition == KafkaPartition(ofKey: record.key ?? [], partitions: 12))
            }
            let states = try rows.store.states()
            let purchases = Dictionary(uniqueKeysWithValues: states.map { ($0.originalTransactionId.rawValue, $0) })
            #expect(purchases["2"]?.appAccountToken?.rawValue == account)
            let now = AppStoreInstant(clampingMillisecondsSince1970: on(2))
            #expect(purchases["1"]?.state(at: now)?.phase == .active)
            #expect(purchases["1"]?.successors.keys.map(\.rawValue) == ["2"])
            #expect(purchases["2"]?.state(at: now)?.phase == .active)
            dumps.insert(try rows.dump())
        }
        #expect(dumps.count == 1)
    }
}
