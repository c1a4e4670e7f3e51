/// A state that does not change: row, overlay and publications share it, since copying one that has many members takes
/// longer than merging.
final class SharedState<State: Sendable & Equatable>: Sendable {
    let value: State

    init(_ value: State) { self.value = value }
}

/// The columns of a row.
struct RowImage: Sendable, Equatable {
    var encoded: [UInt8] = []
    var form: Int64 = 0
    /// The last record of the key says less than the row.
    var isBehind = false
    var due: Int64?
    var deadline: Int64?
    var proposal: StateProposal?
    var entries: [IndexEntry] = []
}

/// One change of the database: the row of an entry, or its removal.
struct RowWrite: Sendable {
    let key: [UInt8]
    /// 0 for a new row.
    let id: Int64
    /// Nil: the row is deleted.
    let image: RowImage?
    /// As stored before.
    let oldEntries: [IndexEntry]
}
