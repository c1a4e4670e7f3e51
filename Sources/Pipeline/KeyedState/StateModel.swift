public import Kafka

/// Defines the rows of a keyed state: how they are merged, stored and published.
///
/// `merge` must be associative, commutative and idempotent, and the state must contain everything: members that merge
/// the same values in any order and any number of times end up with equal states. The module relies on nothing else to
/// survive crashes, duplicates, moved partitions, lost disks, and members that write to a partition they no longer own.
///
/// A model must define how a state is keyed, merged, encoded and decoded. Everything else has a default.
public protocol StateModel: Sendable {
    associatedtype State: Sendable, Equatable

    // MARK: Required

    /// Returns the key of a state's record in the topic. Values that are joined must share a key, which no other value
    /// may use.
    ///
    /// The key may differ from that of the input record; it may be the account that a purchase belongs to, for example.
    /// Another member may then own the row's partition. In that case, this member publishes its version of the row,
    /// possibly only the facts in this record, and the owner publishes the union afterwards. Readers of the topic
    /// briefly see an incomplete value, and each change costs two records, so use the input record's key if possible.
    func key(of state: State) -> [UInt8]

    /// Merges another value with the same key.
    ///
    /// - Throws: an error if the values cannot be merged; in that case, `state` is unchanged. The record that contained
    ///   `other` is dead-lettered; other records in the batch are not affected.
    func merge(_ other: State, into state: inout State) throws -> StateMerge

    /// Returns the row as stored in the database: all facts, independent of time.
    func encode(_ state: State) -> [UInt8]

    /// Decodes the output of ``encode(_:)``, written by this or an older version of the program.
    ///
    /// - Throws: a ``StateError`` with code `newer` if a newer version wrote the row; in that case, the process ends
    ///   with exit code 78 and never overwrites the row. Any other error means that the value is unreadable.
    func decode(_ row: [UInt8]) throws -> State

    // MARK: Optional

    /// Returns the value of the state's record at a moment (milliseconds since 1970). The default is the row.
    ///
    /// - Parameter row: the output of ``encode(_:)`` for the state.
    func publication(of state: State, row: [UInt8], at moment: Int64) -> StatePublication

    /// Returns the time at which the published value will next change without a merge; see
    /// ``StatePublication/nextChange``.
    func nextChange(of state: State, after moment: Int64) -> Int64?

    /// Decodes the value of a record published by any version of the program. The default calls ``decode(_:)``.
    ///
    /// - Parameter offset: the record's offset in its partition of the state's topic.
    /// - Throws: the same errors as ``decode(_:)``.
    func read(published value: [UInt8], at offset: Int64) throws -> State

    /// Returns the derived updates: the states that follow from this state for other keys. Most models have none.
    /// Derived updates grow with the state and never retract anything, so that their union does not depend on the
    /// order. They are published and acknowledged before the state.
    func derivedUpdates(of state: State) -> [State]

    /// Returns the state to merge for a tombstone. Merging it erases everything up to the moment of the record. The
    /// default, nil, removes the row.
    ///
    /// - Parameters:
    ///   - topic: the state's topic.
    ///   - moment: the effective time of the tombstone (``StatePublication/moment``), milliseconds since 1970.
    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> State?

    /// Returns the index entries by which the row can be found.
    func indexEntries(of state: State) -> [IndexEntry]

    /// Returns the time at which work on the row is due, in milliseconds since 1970; see
    /// ``KeyedState/dueRows(upTo:in:keys:atMost:)``.
    func deadline(of state: State) -> Int64?

    /// Returns the time from which the row is no longer needed, in milliseconds since 1970. The owner then publishes a
    /// tombstone, and every member that reads it deletes the row. The default, nil, means never.
    func expiry(of state: State) -> Int64?

    /// Returns the round that a proposal belongs to, if a key has a sequence of decisions. A proposal for a later round
    /// replaces one for an earlier round; within a round, the first proposal in the log wins. With the default, 0, all
    /// proposals are in one round.
    ///
    /// Always called with the current state, so that all members that have merged the same values agree, regardless of
    /// the proposer's state. The result must depend on nothing else. Any producer can write a proposal, so no bytes may
    /// cause a trap.
    ///
    /// - Parameters:
    ///   - proposal: the bytes passed to ``KeyedState/propose(_:for:in:)``.
    ///   - state: the state of the key after merging the record that contains the proposal.
    func round(of proposal: [UInt8], in state: State) -> Int64

    /// Returns whether a proposal is kept. A proposal that is not kept is dropped, even if it has won, and is not in
    /// later records of the key. A model whose states can be erased uses this to erase proposals, too. The default is
    /// true.
    ///
    /// The requirements of ``round(of:in:)`` apply. A state that grows from one for which the result is false must also
    /// give false.
    func retains(_ proposal: [UInt8], in state: State) -> Bool

    /// The dictionary used to compress stored rows: content that most rows have in common, ending with the most common.
    /// When it changes, a member reads all rows again from the topics.
    var dictionary: [UInt8] { get }

    /// Identifies the rules and the format used to publish states. The owner republishes rows that were published with
    /// a different fingerprint, at a bounded rate.
    var fingerprint: String { get }
}

extension StateModel {
    public func publication(of state: State, row: [UInt8], at moment: Int64) -> StatePublication {
        StatePublication(value: row)
    }
    public func nextChange(of state: State, after moment: Int64) -> Int64? {
        publication(of: state, row: encode(state), at: moment).nextChange
    }
    public func read(published value: [UInt8], at offset: Int64) throws -> State { try decode(value) }
    public func derivedUpdates(of state: State) -> [State] { [] }
    public func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> State? { nil }
    public func indexEntries(of state: State) -> [IndexEntry] { [] }
    public func deadline(of state: State) -> Int64? { nil }
    public func expiry(of state: State) -> Int64? { nil }
    public func round(of proposal: [UInt8], in state: State) -> Int64 { 0 }
    public func retains(_ proposal: [UInt8], in state: State) -> Bool { true }
    public var dictionary: [UInt8] { [] }
    public var fingerprint: String { "" }

    /// Returns whether a proposal in the log replaces the winner so far.
    func replaces(_ proposal: StateProposal, _ winner: StateProposal, in state: State) -> Bool {
        guard proposal.value != winner.value else { return proposal.offset <= winner.offset }
        let (round, winning) = (self.round(of: proposal.value, in: state), self.round(of: winner.value, in: state))
        return round == winning ? proposal.offset <= winner.offset : round > winning
    }

    /// Merges two encoded rows with the same key.
    func join(_ row: [UInt8], _ other: [UInt8]) throws -> [UInt8] {
        guard row != other else { return row }
        var state = try decode(row)
        _ = try merge(decode(other), into: &state)
        return encode(state)
    }
}

/// The result of merging a state.
public struct StateMerge: Sendable, Equatable {
    /// Whether the state differs from its previous value.
    public var isChanged: Bool
    /// Whether the merged value was older than the current one.
    public var isLate: Bool

    public init(isChanged: Bool, isLate: Bool = false) {
        self.isChanged = isChanged
        self.isLate = isLate
    }
}

/// The value of a state's record at a moment.
public struct StatePublication: Sendable, Equatable {
    /// The value; nil for a tombstone.
    public var value: [UInt8]?
    /// The time at which the value will next change without a merge and must be republished, in milliseconds since
    /// 1970. Nil if it does not depend on the time.
    public var nextChange: Int64?
    /// The effective time of the record, in milliseconds since 1970; nil means the time of writing. It is sent in the
    /// header ``StateHeader/moment``. The record's timestamp is always the time of writing, because topics refuse old
    /// timestamps.
    public var moment: Int64?

    public init(value: [UInt8]?, nextChange: Int64? = nil, moment: Int64? = nil) {
        self.value = value
        self.nextChange = nextChange
        self.moment = moment
    }
}

/// A name and a value by which rows can be found, such as an account or a status.
public struct IndexEntry: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
