/// An immutable state, shared by row, overlay and publications because copying a state with many members takes longer
/// than merging.
final class SharedState<State: Sendable & Equatable>: Sendable {
    let value: State

    init(_ value: State) { self.value = value }
}

/// The stored columns of a row.
struct RowImage: Sendable, Equatable {
    var encoded: [UInt8] = []
    var form: Int64 = 0
    /// Whether the last record of the key is outdated compared with the row.
    var isBehind = false
    var due: Int64?
    var deadline: Int64?
    var proposal: StateProposal?
    var entries: [IndexEntry] = []
}

/// One change of the database: a written or removed row.
struct RowWrite: Sendable {
    let key: [UInt8]
    /// Id of the row in the database; 0 for a new row.
    let id: Int64
    /// The new columns; nil deletes the row.
    let image: RowImage?
    /// Index entries stored before the change.
    let oldEntries: [IndexEntry]
}
