import Kafka
import PipelineRuntime
import Synchronization
import TestSupport

@testable import KeyedState

/// A state that joins by union: a key and a set of numbers.
struct NumberSet: Sendable, Equatable {
    var key: String
    var numbers: Set<Int> = []

    init(_ key: String, _ numbers: Set<Int> = []) {
        self.key = key
        self.numbers = numbers
    }

    /// Text of the form `key=1,2,3`.
    init?(_ text: [UInt8]) {
        let parts = String(decoding: text, as: UTF8.self).split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let numbers = parts[1].split(separator: ",").map { Int($0) }
        guard numbers.allSatisfy({ $0 != nil }) else { return nil }
        self.init(String(parts[0]), Set(numbers.compactMap { $0 }))
    }

    var text: [UInt8] { Array("\(key)=\(numbers.sorted().map(String.init).joined(separator: ","))".utf8) }
}

/// Counters of the model's calls.
final class ModelCounts: Sendable {
    let parsed = Atomic(0)
}

struct NumberSetModel: StateModel {
    struct Unreadable: Error {}
    struct Poison: RecordFault {
        var reason: HandlerReason { "poison" }
    }

    /// Whether the published value changes when the clock passes the greatest number.
    var changesWithTime = false
    /// Keys that the numbers of a key are merged into, as a derived update.
    var successors: [String: String] = [:]
    /// The numbers that a set must contain before it derives updates.
    var successionNeeds: Set<Int> = []
    /// Whether rows expire when the clock passes the greatest number.
    var expires = false
    /// Whether the greatest number is a deadline.
    var hasDeadline = false
    /// Whether a multiple of ten opens a round of proposals. The numbers after it belong to the round.
    var hasRounds = false
    /// Whether the number 0 drops the proposals for the key.
    var dropsProposals = false
    /// Bytes added to each published row, at most 1,100,000. They are incompressible, because brokers measure the
    /// compressed size.
    var padding = 0
    private static let noise: [UInt8] = {
        var generator = SeededGenerator(seed: 1)
        return (0..<137_500).flatMap { _ in withUnsafeBytes(of: generator.next(), Array.init) }
    }()
    /// Whether the number 0 erases the set. The tombstone's effective time is the greatest number.
    var erases = false
    var fingerprint = ""
    var counts = ModelCounts()
    /// Called with each row before it is sent.
    var publishes: @Sendable () -> Void = {}
    /// Called with each record of another writer before it is parsed.
    var reads: @Sendable () -> Void = {}

    func key(of state: NumberSet) -> [UInt8] { Array(state.key.utf8) }
    func merge(_ other: NumberSet, into state: inout NumberSet) throws -> StateMerge {
        if other.numbers.contains(666) { throw Poison() }
        let isLate = other.numbers.isSubset(of: state.numbers)
        state.numbers.formUnion(other.numbers)
        return StateMerge(isChanged: !isLate, isLate: isLate)
    }
    func derivedUpdates(of state: NumberSet) -> [NumberSet] {
        guard successionNeeds.isSubset(of: state.numbers) else { return [] }
        return successors[state.key].map { [NumberSet($0, state.numbers)] } ?? []
    }
    func encode(_ state: NumberSet) -> [UInt8] { state.text }
    func decode(_ row: [UInt8]) throws -> NumberSet {
        guard let state = NumberSet(row) else { throw Unreadable() }
        return state
    }
    func read(published value: [UInt8], at offset: Int64) throws -> NumberSet {
        reads()
        counts.parsed.add(1, ordering: .relaxed)
        if value.starts(with: Array("v2 ".utf8)) { throw StateError(.newer, "version 2") }
        guard let end = value.firstIndex(of: UInt8(ascii: " ")) else { return try decode(value) }
        return try decode(Array(value[..<end]))
    }
    func publication(of state: NumberSet, row: [UInt8], at moment: Int64) -> StatePublication {
        publishes()
        if erases, state.numbers.contains(0) {
            return StatePublication(value: nil, moment: state.numbers.max().map(Int64.init))
        }
        if padding > 0, state.numbers.count > 2 {
            return StatePublication(value: row + [UInt8(ascii: " ")] + Self.noise.prefix(padding))
        }
        guard changesWithTime, let greatest = state.numbers.max().map(Int64.init) else {
            return StatePublication(value: row)
        }
        let isPast = moment >= greatest
        return StatePublication(
            value: state.text + Array(" \(isPast ? "past" : "ahead")".utf8), nextChange: isPast ? nil : greatest)
    }
    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> NumberSet? {
        erases ? NumberSet(String(decoding: key, as: UTF8.self), [0, Int(moment)]) : nil
    }
    func indexEntries(of state: NumberSet) -> [IndexEntry] { state.numbers.map { IndexEntry("number", "\($0)") } }
    func expiry(of state: NumberSet) -> Int64? { expires ? state.numbers.max().map(Int64.init) : nil }
    func round(of proposal: [UInt8], in state: NumberSet) -> Int64 {
        guard hasRounds, let number = proposal.first.map(Int.init) else { return 0 }
        return Int64(state.numbers.filter { $0 % 10 == 0 && $0 <= number }.max() ?? -1)
    }
    func retains(_ proposal: [UInt8], in state: NumberSet) -> Bool { !dropsProposals || !state.numbers.contains(0) }
    func deadline(of state: NumberSet) -> Int64? { hasDeadline ? state.numbers.max().map(Int64.init) : nil }
}
