package import Kafka
internal import PipelineRuntime

/// What the rows of a keyed state are: values that are joined, how they are kept, and how the world reads them.
///
/// `merge` is associative, commutative and idempotent, and the state says everything: whoever merges the same values in
/// any order and number ends with equal states. That is all the runtime builds on to survive crashes, duplicates, moved
/// partitions, lost disks and members that write although they no longer own a partition.
package protocol StateModel: Sendable {
    associatedtype State: Sendable, Equatable

    /// The record key of a state in its topic: equal for all values that are joined, and never another's.
    func key(of state: State) -> [UInt8]

    /// Takes in what another value of the same key knows.
    ///
    /// - Throws: an error for values that cannot be merged; neither changes then.
    func merge(_ other: State, into state: inout State) throws -> StateMerge

    /// What a state says about other keys, to be merged into theirs: empty for most. It grows with the state and takes
    /// nothing back, so that all of them are the same in every order.
    func consequences(of state: State) -> [State]

    /// The form of a row in the database: everything, and nothing that depends on the time.
    func encode(_ state: State) -> [UInt8]

    /// Reads what ``encode(_:)`` wrote, or what an older version of the program wrote.
    func decode(_ row: [UInt8]) throws -> State

    /// What the world reads: the value of the state's record, as of a moment (milliseconds since 1970).
    ///
    /// - Parameter row: the state as ``encode(_:)`` wrote it.
    func publication(of state: State, row: [UInt8], at moment: Int64) -> StatePublication

    /// When the published value will be another although nothing was merged; as in ``StatePublication``.
    func nextChange(of state: State, after moment: Int64) -> Int64?

    /// The state out of a record's value that some version of the program published.
    func read(published value: [UInt8]) throws -> State

    /// What a tombstone says of a key: a state that forgets everything up to the moment of the record. Nil: nothing, and
    /// the row goes.
    ///
    /// - Parameters:
    ///   - topic: of the state.
    ///   - moment: of the record, milliseconds since 1970.
    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> State?

    /// Under what the row can be found beside its key.
    func terms(of state: State) -> [StateTerm]
}

extension StateModel {
    package func consequences(of state: State) -> [State] { [] }
    package func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> State? { nil }
    package func nextChange(of state: State, after moment: Int64) -> Int64? {
        publication(of: state, row: encode(state), at: moment).nextChange
    }
}

/// What a merge did.
package struct StateMerge: Sendable, Equatable {
    /// The state is another than before.
    package var isChanged: Bool
    /// What was merged was older than what was known.
    package var isLate: Bool

    package init(isChanged: Bool, isLate: Bool = false) {
        self.isChanged = isChanged
        self.isLate = isLate
    }
}

/// The value of a state's record as of a moment.
package struct StatePublication: Sendable, Equatable {
    /// Nil: a tombstone.
    package var value: [UInt8]?
    /// When the value will be another although nothing was merged, milliseconds since 1970: it is published again
    /// then. Nil when time changes nothing.
    package var nextChange: Int64?
    /// The record's timestamp where it means something, milliseconds since 1970; nil for the moment of writing.
    package var timestamp: Int64?

    package init(value: [UInt8]?, nextChange: Int64? = nil, timestamp: Int64? = nil) {
        self.value = value
        self.nextChange = nextChange
        self.timestamp = timestamp
    }
}

/// A name and a value under which rows are found: an account, a state, a deadline as text that sorts.
package struct StateTerm: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Why the state cannot be read or written. Nothing of it is a record's fault: the records wait.
package struct StateError: InfrastructureFault, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// Another process owns the file.
        case ownedByAnother
        /// The file, or a row of it, cannot be read; it is never overwritten.
        case damaged
        /// A newer version of the program wrote the file.
        case newer
        /// The disk, a lock, or SQLite otherwise.
        case sqlite
        /// A publication was not acknowledged.
        case publication
        /// The topic of the state cannot be read, or is not what it should be.
        case changelog
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
