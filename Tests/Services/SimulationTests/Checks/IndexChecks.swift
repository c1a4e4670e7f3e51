import KeyedState
import SQLite

@testable import KeyedState

/// The index of a member's database, compared with its rows.
struct IndexChecks<Model: StateModel> {
    private struct Entry: Hashable {
        let name: String
        let value: String
        let row: Int64
    }

    private static var indexes: Set<String> { ["rows_behind", "rows_deadline", "rows_due", "rows_key"] }

    let model: Model

    /// Returns the difference between the index and the rows; nil if there is none. Called while no restore is in
    /// progress.
    func problem(of store: StateStore) throws -> String? {
        if try store.lacksEntries() { return "marks its complete index as incomplete" }
        return try store.change { guarded in
            let indexes = try guarded.database.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'rows' ORDER BY name"
            ) { try $0.text(0) }
            for name in Self.indexes.subtracting(indexes).sorted() { return "lacks the index \(name)" }
            let stored = try guarded.database.rows("SELECT name, value, row FROM entries") {
                Entry(name: try $0.text(0), value: try $0.text(1), row: try $0.integer(2))
            }
            let rows = try guarded.database.rows("SELECT id, state FROM rows") {
                (id: try $0.integer(0), state: try guarded.compression.row($0.blob(1)))
            }
            let derived = try rows.flatMap { row in
                try model.indexEntries(of: model.decode(row.state)).map {
                    Entry(name: $0.name, value: $0.value, row: row.id)
                }
            }
            let (missing, excess) = (Set(derived).subtracting(stored).count, Set(stored).subtracting(derived).count)
            guard missing + excess > 0 else { return nil }
            return "has \(missing) index entries too few and \(excess) too many"
        }
    }
}
