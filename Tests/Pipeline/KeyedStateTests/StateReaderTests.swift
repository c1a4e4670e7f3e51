import SQLite
import TestSupport
import Testing

@testable import KeyedState

/// How SQLite finds what a reader asks for.
@Suite struct StateReaderTests {
    @Test(arguments: [StateView<NumberSetModel>.underEntry, StateView<NumberSetModel>.afterEntry])
    func `a question by index entry begins with the entry, however many rows there are`(sql: String) throws {
        let database = try Database.inMemory()
        try database.migrate(StateSchema.migrations)
        let plan = try database.rows(
            "EXPLAIN QUERY PLAN " + sql, [.text("name"), .text("value"), .integer(1), .integer(10)]
        ) { try $0.text(3) }
        #expect(plan.first?.hasPrefix("SEARCH entries USING PRIMARY KEY (name=? AND value") == true, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("topic=?") }, "\(plan)")
    }

    @Test func `rows that are due are found by the index`() throws {
        let database = try Database.inMemory()
        try database.migrate(StateSchema.migrations)
        let plan = try database.rows(
            "EXPLAIN QUERY PLAN " + StateRowSource.due,
            [.integer(1), .integer(0), .integer(9_000_000), .integer(10)]
        ) { try $0.text(3) }
        #expect(plan.first?.contains("USING INDEX rows_due") == true, "\(plan)")
    }
}
