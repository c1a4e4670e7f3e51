public import Kafka

/// What the rows of a keyed state are: values that are joined, how they are stored, and how the topic shows them.
///
/// `merge` is associative, commutative and idempotent, and the state holds everything: members that merge the same
/// values in any order and number end with equal states. That is all the module builds on to survive crashes,
/// duplicates, moved partitions, lost disks, and members that write although they no longer own a partition.
///
/// A model must say how a state is keyed, merged, encoded and decoded; everything else has a default.
public protocol StateModel: Sendable {
    associatedtype State: Sendable, Equatable

    // MARK: Required

    /// The record key of a state in its topic: equal for all values that are joined, and never another's.
    ///
    /// It may be another key than the input record's, such as the account that a purchase belongs to. The row is then in
    /// a partition that another member may own: this member publishes what it knows of the row, which may be this record
    /// alone, and the owner publishes the union after it. So a reader of the topic sees less for a moment, and each
    /// change costs two records; where the key can be the record's, use that.
    func key(of state: State) -> [UInt8]

    /// Adds what another value of the same key knows.
    ///
    /// - Throws: an error for values that cannot be merged; `state` is unchanged then. The record that brought `other`
    ///   is dead-lettered; the records beside it are not affected.
    func merge(_ other: State, into state: inout State) throws -> StateMerge

    /// The form of a row in the database: everything, and nothing that depends on the time.
    func encode(_ state: State) -> [UInt8]

    /// Reads what ``encode(_:)`` wrote, or what an older version of the program wrote.
    ///
    /// - Throws: a ``StateError`` of code `newer` for what a newer version wrote: the process ends with exit code 78
    ///   and never overwrites it. Any other error means that the value is not readable.
    func decode(_ row: [UInt8]) throws -> State

    // MARK: Optional

    /// The value of the state's record at a moment (milliseconds since 1970). By default the row.
    ///
    /// - Parameter row: the state as ``encode(_:)`` wrote it.
    func publication(of state: State, row: [UInt8], at moment: Int64) -> StatePublication

    /// When the published value will change although nothing is merged; as in ``StatePublication``.
    func nextChange(of state: State, after moment: Int64) -> Int64?

    /// Reads the value of a record that some version of the program published. By default ``decode(_:)``.
    ///
    /// - Parameter offset: of the record in its partition of the state's topic.
    /// - Throws: as ``decode(_:)``.
    func read(published value: [UInt8], at offset: Int64) throws -> State

    /// What a state says about other keys, to be merged into theirs: empty for most. It grows with the state and takes
    /// nothing back, so that all of them are the same in every order. Published, and acknowledged, before the state.
    func derivedUpdates(of state: State) -> [State]

    /// What a tombstone says about a key: a state that forgets everything up to the moment of the record. Nil, the
    /// default: the row is removed.
    ///
    /// - Parameters:
    ///   - topic: of the state.
    ///   - moment: that the record speaks of (``StatePublication/moment``), milliseconds since 1970.
    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> State?

    /// Under what the row can be found beside its key.
    func indexEntries(of state: State) -> [IndexEntry]

    /// When work on the row is due, milliseconds since 1970: rows are found by it with ``KeyedState/dueRows(upTo:atMost:)``.
    func deadline(of state: State) -> Int64?

    /// When the row is no longer needed, milliseconds since 1970: the owner publishes a tombstone then, and every member
    /// deletes the row when it reads it. Nil, the default: never.
    func expiry(of state: State) -> Int64?

    /// The round that a proposal belongs to, where a key has one decision after another. A proposal of a later round
    /// replaces one of an earlier round; inside a round the first in the log wins. 0, the default: one round for ever.
    ///
    /// It is asked each time of the present state, so that every member that has merged the same values agrees, whatever
    /// the proposer knew. It must depend on nothing else, and trap for no bytes: any producer may write a proposal.
    ///
    /// - Parameters:
    ///   - proposal: as given to ``KeyedState/propose(_:for:in:)``.
    ///   - state: of the key, the record with the proposal merged.
    func round(of proposal: [UInt8], in state: State) -> Int64

    /// Names the rules and the form by which states are published. When it differs from that of a published row, the
    /// owner publishes the row again, at a bounded rate.
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

    /// Whether a proposal of the log replaces the one that has won so far.
    func replaces(_ proposal: StateProposal, _ winner: StateProposal, in state: State) -> Bool {
        guard proposal.value != winner.value else { return proposal.offset <= winner.offset }
        let (round, winning) = (self.round(of: proposal.value, in: state), self.round(of: winner.value, in: state))
        return round == winning ? proposal.offset <= winner.offset : round > winning
    }

    /// Two rows of a key as one, in the form of the database.
    func join(_ row: [UInt8], _ other: [UInt8]) throws -> [UInt8] {
        guard row != other else { return row }
        var state = try decode(row)
        _ = try merge(decode(other), into: &state)
        return encode(state)
    }
}

/// What a merge did.
public struct StateMerge: Sendable, Equatable {
    /// The state differs from what it was before.
    public var isChanged: Bool
    /// What was merged was older than what was known.
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
    /// When the value will change although nothing is merged, milliseconds since 1970: it is published again then. Nil
    /// when time changes nothing.
    public var nextChange: Int64?
    /// The moment that the record speaks of, milliseconds since 1970; nil for the time of writing. It is in the header
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
