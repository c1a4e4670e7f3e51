import Dispatch
import Kafka
import SQLite
import TestSupport
import Testing

@testable import KeyedState

/// SQLite's query plans for readers.
@Suite struct StateReaderTests {
    @Test(arguments: [StateView<NumberSetModel>.underEntry, StateView<NumberSetModel>.afterEntry])
    func `a query by index entry starts with the entry, regardless of the number of rows`(sql: String) throws {
        let database = try Database.inMemory()
        try database.migrate(StateSchema.migrations)
        let plan = try database.rows(
            "EXPLAIN QUERY PLAN " + sql, [.text("name"), .text("value"), .integer(1), .integer(10)]
        ) { try $0.text(3) }
        #expect(plan.first?.hasPrefix("SEARCH entries USING PRIMARY KEY (name=? AND value") == true, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("topic=?") }, "\(plan)")
    }

    @Test func `due rows are found by the index`() throws {
        let database = try Database.inMemory()
        try database.migrate(StateSchema.migrations)
        let plan = try database.rows(
            "EXPLAIN QUERY PLAN " + StateRowSource.due,
            [.integer(1), .integer(0), .integer(9_000_000), .integer(10)]
        ) { try $0.text(3) }
        #expect(plan.first?.contains("USING INDEX rows_due") == true, "\(plan)")
    }

    @Test func `rows of other rules are read in the order of the table, from the last one found`() throws {
        let database = try Database.inMemory()
        try database.migrate(StateSchema.migrations)
        let plan = try database.rows(
            "EXPLAIN QUERY PLAN " + StateRowSource.otherFormQuery,
            [.integer(1), .integer(0), .integer(7), .integer(3), .integer(10)]
        ) { try $0.text(3) }
        #expect(plan == ["SEARCH rows USING INTEGER PRIMARY KEY (rowid>?)"])
    }

    @Test(.timeLimit(.minutes(2))) func `a long read does not delay others`() async throws {
        let directory = try TemporaryDirectory()
        let state = try LocalState(path: directory.file("state.sqlite"), model: NumberSetModel(), topics: ["state"])
        try state.merge([NumberSet("a", [1])], in: "state", at: 0)
        let reader = try state.reader()
        let isHeld = DispatchSemaphore(value: 0)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        // Awaited below.
        let long = Task {
            try await reader.read { rows in
                begin.finish()
                isHeld.wait()
                return try rows.state(of: Array("a".utf8), in: "state")
            }
        }
        for await _ in begun {}
        for _ in 0..<20 {
            let found = try await reader.read { try $0.state(of: Array("a".utf8), in: "state") }
            #expect(found == NumberSet("a", [1]))
        }
        isHeld.signal()
        #expect(try await long.value == NumberSet("a", [1]))
        await reader.close()
    }
}
