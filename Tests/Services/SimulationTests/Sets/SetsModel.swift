import KeyedState

/// A set of numbers under a key.
struct NumberSet: Sendable, Equatable {
    var key: String
    var numbers: Set<Int> = []

    init(_ key: String, _ numbers: Set<Int> = []) {
        self.key = key
        self.numbers = numbers
    }

    /// Reads text of the form `key=1,2,3`; nil for any other text.
    init?(_ text: [UInt8]) {
        let parts = String(decoding: text, as: UTF8.self).split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let numbers = parts[1].split(separator: ",").map { Int($0) }
        guard numbers.allSatisfy({ $0 != nil }) else { return nil }
        self.init(String(parts[0]), Set(numbers.compactMap { $0 }))
    }

    var text: [UInt8] { Array("\(key)=\(numbers.sorted().map(String.init).joined(separator: ","))".utf8) }
}

/// The union of sets. A set with a multiple of three is also merged into the set of the next letter, as a derived
/// update, which is in another partition for some keys.
struct SetsModel: StateModel {
    struct Unreadable: Error {}

    static let keys = ["a", "b", "c", "d", "e", "f"]

    private static let timedKeys: Set<String> = ["a", "c", "d"]
    /// The time between two publications of these rows, in milliseconds.
    var period: Int64 = 600_000

    /// Identifies the version of the published form; members of two versions may run beside each other.
    var fingerprint = "sets-1"

    func key(of state: NumberSet) -> [UInt8] { Array(state.key.utf8) }

    func merge(_ other: NumberSet, into state: inout NumberSet) throws -> StateMerge {
        let isLate = other.numbers.isSubset(of: state.numbers)
        state.numbers.formUnion(other.numbers)
        return StateMerge(isChanged: !isLate, isLate: isLate)
    }

    func encode(_ state: NumberSet) -> [UInt8] { state.text }

    func decode(_ row: [UInt8]) throws -> NumberSet {
        guard let state = NumberSet(row) else { throw Unreadable() }
        return state
    }

    /// The rows of some keys are published again from time to time, as rows with a value that changes with time.
    func publication(of state: NumberSet, row: [UInt8], at moment: Int64) -> StatePublication {
        guard Self.timedKeys.contains(state.key) else { return StatePublication(value: row) }
        return StatePublication(value: row, nextChange: (moment / period + 1) * period)
    }

    func derivedUpdates(of state: NumberSet) -> [NumberSet] {
        guard state.numbers.contains(where: { $0 % 3 == 0 }), let index = Self.keys.firstIndex(of: state.key),
            index + 1 < Self.keys.count
        else { return [] }
        return [NumberSet(Self.keys[index + 1], state.numbers)]
    }

    func indexEntries(of state: NumberSet) -> [IndexEntry] {
        state.numbers.map { IndexEntry("number", "\($0)") }
    }
}
