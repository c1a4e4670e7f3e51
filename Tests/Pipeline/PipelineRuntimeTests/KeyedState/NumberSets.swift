import Kafka
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

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

/// Topics and a directory of a test's own, and the members that work on them.
final class StateStage: Sendable {
    let directory: TemporaryDirectory
    let input: KafkaTopic
    let output: KafkaTopic
    let partitions: Int32
    let now = Atomic<Int64>(1_000)
    private static let last = Atomic(0)

    init(partitions: Int32 = 1) throws {
        directory = try TemporaryDirectory()
        let number = Self.last.add(1, ordering: .relaxed).newValue
        input = KafkaTopic(rawValue: "state.input.\(number)")
        output = KafkaTopic(rawValue: "state.output.\(number)")
        self.partitions = partitions
        for topic in [input, output] {
            try PipelineTestBroker.shared().createTopic(topic, partitions: Int(partitions))
        }
    }

    func place(_ partition: Int32 = 0) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: input, partition: KafkaPartition(rawValue: partition))
    }

    /// A member with a file of this name, started; it has no partition yet.
    func member(
        _ file: String = "state", model: NumberSetModel = NumberSetModel(), log: MemoryLogSink = MemoryLogSink()
    ) async throws -> KeyedState<NumberSetModel> {
        var layout = KeyedState<NumberSetModel>.Layout(path: directory.file(file), topics: [input: output])
        layout.tick = .milliseconds(20)
        let state = try KeyedState(
            layout, model: model, kafka: PipelineTestBroker.configuration(),
            logger: Logger(label: "test", level: .debug, format: .json, sink: log), metrics: MetricsRegistry(),
            clocks: Clocks(
                wallMilliseconds: { self.now.load(ordering: .relaxed) },
                monotonicNanoseconds: Clocks.system.monotonicNanoseconds))
        try await state.start()
        return state
    }

    /// Everything the topic holds, oldest first.
    func published() async throws -> [KafkaRecord] {
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        for partition in 0..<partitions {
            offsets[KafkaTopicPartition(topic: output, partition: KafkaPartition(rawValue: partition))] = .beginning
        }
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(
            PipelineTestBroker.configuration(), from: offsets, within: .seconds(20)
        ) { records += $0 }
        return records
    }

    /// The topic's last word on each key.
    func lastWords() async throws -> [String: String] {
        var words: [String: String] = [:]
        for record in try await published() {
            words[String(decoding: record.key ?? [], as: UTF8.self)] = record.value.map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return words
    }

    /// Writes to the state's topic behind the members' backs.
    func write(_ key: String, _ value: [UInt8]?) async throws {
        try await PipelineTestBroker.write([
            KafkaProducerRecord(topic: output, partition: 0, key: Array(key.utf8), value: value)
        ])
    }
}

extension KeyedState<NumberSetModel> {
    /// The rows as text, sorted.
    func dump() throws -> [String] { try store.states().map { String(decoding: $0.text, as: UTF8.self) }.sorted() }

    func end() async { await stop(within: .seconds(5)) }
}
