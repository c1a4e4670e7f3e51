import Kafka
import Lifecycle
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// What a group has read and nobody knows any more: the start is refused, and nothing else is.
@Suite(.timeLimit(.minutes(1)), .serialized) struct StateHistoryTests {
    private let harness: StateHarness
    private let history: StateHistory

    init() throws {
        harness = try StateHarness(partitions: 2)
        history = StateHistory(
            group: KafkaConsumerGroup(rawValue: "\(harness.input).group"),
            isKept: { record in record.value.flatMap(NumberSet.init) != nil }, fix: "Read it again")
    }

    private func start(_ file: String) async throws -> KeyedState<NumberSetModel> {
        try await harness.member(file, history: history)
    }

    /// Writes input records of partition 1, handles those that are number sets as `file`, and commits all.
    private func handle(_ values: [String], as file: String?) async throws {
        try await StateTestBroker.write(
            values.map {
                KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array($0.utf8))
            })
        if let file {
            let member = try await start(file)
            try await member.partitionAssigned(harness.place(1))
            _ = try await member.merge(
                values.compactMap { NumberSet(Array($0.utf8)) }, from: harness.place(1))
            await member.end()
        }
        try await commit(KafkaOffset(rawValue: Int64(values.count)))
    }

    private func commit(_ offset: KafkaOffset) async throws {
        let admin = try KafkaAdmin(harness.kafka)
        try await admin.alterOffsets(of: history.group, to: [harness.place(1): offset])
        await admin.close(within: .seconds(5))
    }

    @Test func `neither the topic nor the database knows what was read: refused until it is read again`() async throws {
        // The state's topic was deleted and made anew, and the disk is another.
        try await handle(["test", "a=1"], as: nil)
        let refusal = await #expect(throws: StartupError.self) { _ = try await start("new") }
        #expect(refusal?.exitCode == .configuration)
        for part in ["\(harness.place(1))", "\(history.group)", "\(harness.output)", "offset 2", "Read it again"] {
            #expect(refusal?.line.contains(part) == true, "\(part)")
        }
        // Trying again does not help.
        await #expect(throws: StartupError.self) { _ = try await start("new") }
        try await commit(0)
        let member = try await start("new")
        await member.end()
    }

    @Test func `a new group starts`() async throws {
        try await StateTestBroker.write([
            KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array("a=1".utf8))
        ])
        let member = try await start("new")
        await member.end()
    }

    @Test func `a group that has read nothing yet starts`() async throws {
        try await StateTestBroker.write([
            KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array("a=1".utf8))
        ])
        try await commit(0)
        let member = try await start("new")
        await member.end()
    }

    @Test func `a group whose records left nothing starts, on any disk`() async throws {
        try await handle(["test", "test"], as: nil)
        // What comes next is not read yet.
        try await StateTestBroker.write([
            KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array("a=1".utf8))
        ])
        let member = try await start("new")
        await member.end()
    }

    @Test func `a lost disk starts from the topic`() async throws {
        try await handle(["a=1"], as: "first")
        let member = try await start("second")
        try await member.partitionAssigned(harness.place(1))
        #expect(try member.dump() == ["a=1"])
        await member.end()
    }

    @Test func `a lost topic starts from the database`() async throws {
        try await handle(["a=1"], as: nil)
        let store = try StateFile(
            path: harness.directory.file("rows"),
            logger: Logger(label: "test", level: .debug, format: .json, sink: MemoryLogSink())
        ).open(model: NumberSetModel(), now: 0) { StatePublisher.Group(count: $0.count) }
        _ = try store.merge([NumberSet("a", [1])], in: KafkaTopicPartition(topic: harness.output, partition: 1), at: 0)
        store.close()
        let member = try await start("rows")
        try await member.partitionAssigned(harness.place(1))
        #expect(try await harness.lastWords() == ["a": "a=1"])
        await member.end()
    }
}
