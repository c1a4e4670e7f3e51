internal import Kafka

/// A row as this process knows it: applied from the topic, and published by this process but not yet read back (the
/// overlay). Guarded by its partition's lock.
final class StateEntry<State: Sendable & Equatable> {
    /// A publication that was not read back yet.
    struct Publication {
        let number: UInt64
        /// Nil: a tombstone that removes the row.
        let state: SharedState<State>?
        var image: RowImage
        /// Of the entry's row when this was published.
        let rowVersion: Int
        let delivery: StateDelivery
    }

    let key: [UInt8]
    /// In the database; 0 before the row is there.
    var id: Int64 = 0
    /// As applied from the topic; nil when there is none.
    var row: SharedState<State>?
    /// What is stored of `row`, or is about to be.
    var image = RowImage()
    /// `row` joined with all publications.
    var current: SharedState<State>?
    /// Counts the changes of `row` by records of others.
    var rowVersion = 0
    /// Published and not read back, oldest first.
    var publications: [Publication] = []
    /// The number of the last own publication that was read back.
    var lastRead: UInt64 = 0
    /// `current` holds something that was not published.
    var isUnpublished = false
    /// Under what the row is found in the database.
    var storedEntries: [IndexEntry] = []
    /// Transactions that write the row and are not committed.
    var writes = 0
    /// The sweep of the cache in which it was last used.
    var generation = 0
    /// The batch in hand has it already.
    var isTouched = false

    init(key: [UInt8]) { self.key = key }

    func index(ofPublication number: UInt64) -> Int? {
        var index = 0
        while index < publications.count {
            if publications[index].number == number { return index }
            index += 1
        }
        return nil
    }

    /// Nothing of it would be lost with it.
    var isClean: Bool { publications.isEmpty && writes == 0 && !isUnpublished }
}

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
