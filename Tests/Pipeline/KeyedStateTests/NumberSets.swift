import Kafka

@testable import KeyedState

/// A state whose join is a union: a key and the numbers seen under it.
struct NumberSet: Sendable, Equatable {
    var key: String
    var numbers: Set<Int> = []

    init(_ key: String, _ numbers: Set<Int> = []) {
        self.key = key
        self.numbers = numbers
    }

    /// `key=1,2,3`.
    init?(_ text: [UInt8]) {
        let parts = String(decoding: text, as: UTF8.self).split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let numbers = parts[1].split(separator: ",").map { Int($0) }
        guard numbers.allSatisfy({ $0 != nil }) else { return nil }
        self.init(String(parts[0]), Set(numbers.compactMap { $0 }))
    }

    var text: [UInt8] { Array("\(key)=\(numbers.sorted().map(String.init).joined(separator: ","))".utf8) }
}

struct NumberSetModel: StateModel {
    struct Unreadable: Error {}

    /// The published value changes when the clock passes the greatest number.
    var changesWithTime = false
    /// The numbers of one key belong to another, too.
    var follower: [String: String] = [:]

    func key(of state: NumberSet) -> [UInt8] { Array(state.key.utf8) }
    func merge(_ other: NumberSet, into state: inout NumberSet) -> StateMerge {
        let isLate = other.numbers.isSubset(of: state.numbers)
        state.numbers.formUnion(other.numbers)
        return StateMerge(isChanged: !isLate, isLate: isLate)
    }
    func consequences(of state: NumberSet) -> [NumberSet] {
        follower[state.key].map { [NumberSet($0, state.numbers)] } ?? []
    }
    func encode(_ state: NumberSet) -> [UInt8] { state.text }
    func decode(_ row: [UInt8]) throws -> NumberSet {
        guard let state = NumberSet(row) else { throw Unreadable() }
        return state
    }
    func read(published value: [UInt8]) throws -> NumberSet {
        guard let end = value.firstIndex(of: UInt8(ascii: " ")) else { return try decode(value) }
        return try decode(Array(value[..<end]))
    }
    func publication(of state: NumberSet, row: [UInt8], at moment: Int64) -> StatePublication {
        guard changesWithTime, let greatest = state.numbers.max().map(Int64.init) else {
            return StatePublication(value: row)
        }
        let isPast = moment >= greatest
        return StatePublication(
            value: state.text + Array(" \(isPast ? "past" : "ahead")".utf8), nextChange: isPast ? nil : greatest)
    }
    func terms(of state: NumberSet) -> [StateTerm] { state.numbers.map { StateTerm("number", "\($0)") } }
}
