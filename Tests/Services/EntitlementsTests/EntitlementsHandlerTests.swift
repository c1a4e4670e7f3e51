import AppStoreModel
import EntitlementRules
import Kafka
import NotificationRecord
import SQLite
import TestSupport
import Testing

@testable import Entitlements
@testable import PipelineRuntime

@Suite struct EntitlementsHandlerTests {
    @Test func `each record of a batch has its verdict, and the good ones are stored`() throws {
        let rows = try RowsUnderTest()
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
        #expect(
            try rows.handle(records) == [
                .done, .skip("null_value"),
                .deadLetter(HandlerReason(code: "field_type", detail: "expiresDate: not a valid date")),
                .deadLetter(HandlerReason(code: "environment_mismatch", detail: "in the topic of Production")),
                .done, .deadLetter("unknown_topic"),
            ])
        #expect(Set(try rows.store.states().map(\.originalTransactionId.rawValue)) == ["1", "4"])
    }

    @Test func `the topic decides the environment`() throws {
        let record = lifeOfOne(environment: .sandbox)[0].record(in: "appstore.notifications.sandbox")
        #expect(try RowsUnderTest().handle([record]) == [.done])
    }

    @Test func `a batch that is handed over again after its commit changes nothing`() throws {
        let rows = try RowsUnderTest()
        let records = lifeOfOne().map { $0.record() }
        #expect(try rows.handle(records) == Array(repeating: .done, count: 4))
        let before = try rows.dump()
        #expect(try rows.handle(records) == Array(repeating: .done, count: 4))
        #expect(try rows.dump() == before)
    }

    @Test func `chains of different apps and environments never meet`() throws {
        let rows = try RowsUnderTest()
        var other = lifeOfOne()[0]
        other.notification["data"] = .object(["environment": "Production", "bundleId": "com.other"])
        let sandbox = lifeOfOne(environment: .sandbox)[0]
        try rows.merge([lifeOfOne()[0].facts(), other.facts(), sandbox.facts()])
        #expect(try rows.store.states().count == 3)
    }

    @Test func `without the database no record is answered, not even a bad one`() throws {
        let rows = try RowsUnderTest()
        rows.store.close()
        let error = #expect(throws: StateError.self) { _ = try rows.handle([lifeOfOne()[0].record()]) }
        #expect((error as (any Error)?) is any InfrastructureFault)
    }

    @Test func `rows survive the process, and a row that cannot be read is never overwritten`() throws {
        let directory = try TemporaryDirectory()
        let first = try RowsUnderTest(path: directory.database)
        try first.merge(lifeOfOne().map { try $0.facts() })
        let dump = try first.dump()
        first.store.close()
        let again = try RowsUnderTest(path: directory.database)
        #expect(try again.dump() == dump)
        again.store.close()
        let database = try Database(path: directory.database)
        try database.executeScript(
            #"UPDATE rows SET state = CAST(replace(state, '"formatVersion":1', '"formatVersion":9') AS BLOB)"#)
        database.close()
        let older = try RowsUnderTest(path: directory.database)
        let error = #expect(throws: StateError.self) { try older.merge(lifeOfOne().map { try $0.facts() }) }
        #expect(error?.code == .newer)
    }
}
