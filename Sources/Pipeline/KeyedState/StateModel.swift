public import Kafka

/// Defines the rows of a keyed state: how values are merged, stored and published.
///
/// `merge` is associative, commutative and idempotent, and the state contains everything: members that merge the same
/// values in any order and number end with equal states. The module relies on nothing else to survive crashes,
/// duplicates, moved partitions, lost disks, and members that write although they no longer own a partition.
///
/// A model must define how a state is keyed, merged, encoded and decoded; everything else has a default.
public protocol StateModel: Sendable {
    associatedtype State: Sendable, Equatable

    // MARK: Required

    /// Returns the record key of a state in its topic, the same for all values that are joined and unique to them.
    ///
    /// It may differ from the key of the input record, such as the account that a purchase belongs to. Another member
    /// may then own the row's partition: this member publishes its version of the row, possibly only the facts of this
    /// record, and the owner publishes the union afterwards. A reader of the topic sees an incomplete value for a
    /// moment, and each change costs two records, so use the key of the record where possible.
    func key(of state: State) -> [UInt8]

    /// Merges another value of the same key.
    ///
    /// - Throws: an error for values that cannot be merged; `state` is unchanged then. The record that brought `other`
    ///   is dead-lettered; the records beside it are not affected.
    func merge(_ other: State, into state: inout State) throws -> StateMerge

    /// Returns the form of a row in the database: all facts, independent of the time.
    func encode(_ state: State) -> [UInt8]

    /// Decodes the output of ``encode(_:)`` by this or an older version of the program.
    ///
    /// - Throws: a ``StateError`` of code `newer` for a row written by a newer version: the process ends with exit code
    ///   78 and never overwrites it. Any other error means that the value is not readable.
    func decode(_ row: [UInt8]) throws -> State

    // MARK: Optional

    /// Returns the value of the state's record at a moment (milliseconds since 1970). By default the row.
    ///
    /// - Parameter row: the output of ``encode(_:)`` for the state.
    func publication(of state: State, row: [UInt8], at moment: Int64) -> StatePublication

    /// Returns when the published value will change without a merge; see ``StatePublication/nextChange``.
    func nextChange(of state: State, after moment: Int64) -> Int64?

    /// Decodes the value of a record published by any version of the program. By default ``decode(_:)``.
    ///
    /// - Parameter offset: the record's offset in its partition of the state's topic.
    /// - Throws: the same errors as ``decode(_:)``.
    func read(published value: [UInt8], at offset: Int64) throws -> State

    /// Returns the derived updates: states of other keys that follow from a state, empty for most models. They grow
    /// with the state and retract nothing, so that their union is the same in every order. They are published and
    /// acknowledged before the state.
    func derivedUpdates(of state: State) -> [State]

    /// Returns the state to merge for a tombstone: it erases everything up to the moment of the record. Nil, the
    /// default, removes the row.
    ///
    /// - Parameters:
    ///   - topic: the topic of the state.
    ///   - moment: the effective time of the tombstone (``StatePublication/moment``), milliseconds since 1970.
    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> State?

    /// Returns the index entries under which the row can be found.
    func indexEntries(of state: State) -> [IndexEntry]

    /// Returns when work on the row is due, milliseconds since 1970; see ``KeyedState/dueRows(upTo:in:keys:atMost:)``.
    func deadline(of state: State) -> Int64?

    /// Returns when the row is no longer needed, milliseconds since 1970: the owner publishes a tombstone then, and
    /// every member that reads it deletes the row. Nil, the default: never.
    func expiry(of state: State) -> Int64?

    /// Returns the round that a proposal belongs to, where a key has a sequence of decisions. A proposal of a later
    /// round replaces one of an earlier round; within a round the first in the log wins. 0, the default: a single
    /// round.
    ///
    /// It is called each time with the current state, so that every member that has merged the same values agrees,
    /// whatever state the proposer had. It must depend on nothing else, and must not trap for any bytes: any producer
    /// may write a proposal.
    ///
    /// - Parameters:
    ///   - proposal: the bytes passed to ``KeyedState/propose(_:for:in:)``.
    ///   - state: the state of the key, with the record that holds the proposal merged.
    func round(of proposal: [UInt8], in state: State) -> Int64

    /// Identifies the rules and the form by which states are published. When it differs from the fingerprint of a
    /// published row, the owner publishes the row again, at a bounded rate.
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
    public var fingerprint: String { "" }

    /// Whether a proposal in the log replaces the winner so far.
    func replaces(_ proposal: StateProposal, _ winner: StateProposal, in state: State) -> Bool {
        guard proposal.value != winner.value else { return proposal.offset <= winner.offset }
        let (round, winning) = (self.round(of: proposal.value, in: state), self.round(of: winner.value, in: state))
        return round == winning ? proposal.offset <= winner.offset : round > winning
    }

    /// Merges two encoded rows of a key.
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
    /// Nil: a tombstone.
    public var value: [UInt8]?
    /// When the value will change without a merge, milliseconds since 1970; it is published again then. Nil when it
    /// does not depend on the time.
    public var nextChange: Int64?
    /// The effective time of the record, milliseconds since 1970; nil for the time of writing. It is in the header
    /// ``StateHeader/moment``: the record's timestamp is always the time of writing, since topics refuse old ones.
    public var moment: Int64?

    public init(value: [UInt8]?, nextChange: Int64? = nil, moment: Int64? = nil) {
        self.value = value
        self.nextChange = nextChange
        self.moment = moment
    }
}

/// A name and a value under which rows are found: an account, a status.
public struct IndexEntry: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
