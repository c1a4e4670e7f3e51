/// An immutable state that the row and its publications share by reference, because copying a state with many members
/// takes longer than merging one.
final class SharedState<State: Sendable & Equatable>: Sendable {
    let value: State

    init(_ value: State) { self.value = value }
}

/// The stored columns of a row.
struct RowImage: Sendable, Equatable {
    var encoded: [UInt8] = []
    var form: Int64 = 0
    /// Whether the key's last record is older than the row.
    var isBehind = false
    var due: Int64?
    var deadline: Int64?
    var proposal: StateProposal?
    var entries: [IndexEntry] = []
}

/// A change to the database: a row to write or remove.
struct RowWrite: Sendable {
    let key: [UInt8]
    /// Id of the row in the database; 0 for a new row.
    let id: Int64
    /// The new column values; nil deletes the row.
    let image: RowImage?
    /// The row's index entries before the change.
    let oldEntries: [IndexEntry]
}
