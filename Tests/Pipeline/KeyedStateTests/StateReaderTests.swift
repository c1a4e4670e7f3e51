import Kafka
import SQLite
import Testing

@testable import KeyedState

/// How SQLite finds what a reader asks for.
@Suite struct StateReaderTests {
    @Test(arguments: [StateView<NumberSetModel>.underTerm, StateView<NumberSetModel>.withTerm])
    func `a question by term begins with the term, however many rows there are`(sql: String) throws {
        let store = try StateStore(Database.inMemory(), model: NumberSetModel()) {
            StatePublisher.Group(count: $0.count)
        }
        let plan = try store.read { database in
            try database.rows(
                "EXPLAIN QUERY PLAN " + sql, [.text("name"), .text("value"), .text("out"), .integer(10)]
            ) { try $0.text(3) }
        }
        #expect(plan.first?.hasPrefix("SEARCH terms USING PRIMARY KEY (name=? AND value") == true, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("topic=?") }, "\(plan)")
    }
}
