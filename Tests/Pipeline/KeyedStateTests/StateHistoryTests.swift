import Kafka
import Lifecycle
import PipelineTestSupport
import SQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Input whose results are lost everywhere although the group has read it. Only then is the start refused.
@Suite(.timeLimit(.minutes(1)), .serialized) struct StateHistoryTests {
    private let harness: StateHarness
    private let history: StateHistory
    /// A key in partition 1.
    private let key: String

    init() throws {
        harness = try StateHarness(partitions: 2)
        key = (0..<100).map { "k\($0)" }.first { KafkaPartition(ofKey: Array($0.utf8), partitions: 2) == 1 } ?? ""
        history = StateHistory(
            group: KafkaConsumerGroup(rawValue: "\(harness.input).group"),
            isKept: { record in record.value.flatMap(NumberSet.init) != nil }, fix: "Read it again")
    }

    private func start(_ file: String) async throws -> KeyedState<NumberSetModel> {
        let member = try await harness.member(file) { $0.history = history }
        do {
            try await member.partitionAssigned(harness.place(1))
        } catch {
            await member.end()
            throw error
        }
        return member
    }

    /// Writes input records to partition 1, handles the number sets among them with the file `file`, and commits
    /// everything.
    private func handle(_ values: [String], as file: String?) async throws {
        try await StateTestBroker.configuration().write(
            values.map {
                KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array($0.utf8))
            })
        if let file {
            let member = try await start(file)
            _ = try await member.merge(
                values.compactMap { NumberSet(Array($0.utf8)) }, from: harness.input)
            await member.end()
        }
        try await commit(KafkaOffset(rawValue: Int64(values.count)))
    }

    private func commit(_ offset: KafkaOffset) async throws {
        let admin = try KafkaAdmin(harness.kafka)
        try await admin.alterOffsets(of: history.group, to: [harness.place(1): offset])
        await admin.close(within: .seconds(5))
    }

    @Test func `a start without the state of committed input is refused until the input is read again`() async throws {
        // The state topic was deleted and recreated, and the disk is new.
        try await handle(["test", "\(key)=1"], as: nil)
        let refusal = await #expect(throws: StartupError.self) { _ = try await start("new") }
        #expect(refusal?.exitCode == .configuration)
        for part in ["\(harness.place(1))", "\(history.group)", "\(harness.output)", "offset 2", "Read it again"] {
            #expect(refusal?.line.contains(part) == true, "\(part)")
        }
        // A second attempt does not help.
        await #expect(throws: StartupError.self) { _ = try await start("new") }
        try await commit(0)
        let member = try await start("new")
        await member.end()
    }

    @Test func `a new group starts`() async throws {
        try await StateTestBroker.configuration().write([
            KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array("\(key)=1".utf8))
        ])
        let member = try await start("new")
        await member.end()
    }

    @Test func `a group that has read nothing yet starts`() async throws {
        try await StateTestBroker.configuration().write([
            KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array("\(key)=1".utf8))
        ])
        try await commit(0)
        let member = try await start("new")
        await member.end()
    }

    @Test func `a group with records that contribute nothing starts on any disk`() async throws {
        try await handle(["test", "test"], as: nil)
        // The next record has not been read yet.
        try await StateTestBroker.configuration().write([
            KafkaProducerRecord(topic: harness.input, partition: 1, key: [1], value: Array("\(key)=1".utf8))
        ])
        let member = try await start("new")
        await member.end()
    }

    @Test func `a member with a lost disk starts from the topic`() async throws {
        try await handle(["\(key)=1"], as: "first")
        let member = try await start("second")
        #expect(try await member.dump() == ["\(key)=1"])
        await member.end()
    }

    @Test func `a member with a lost topic starts from the database`() async throws {
        try await handle(["\(key)=1"], as: nil)
        let store = try StateStore(Database(path: harness.directory.file("rows")), topics: [harness.output])
        let state = NumberSet(key, [1])
        let write = RowWrite(
            key: Array(key.utf8), id: 0, image: RowImage(encoded: state.text, isBehind: true), oldEntries: [])
        _ = try store.apply(StateWrite(rows: [write], partition: harness.output(1), next: 1, now: 0))
        store.close()
        let member = try await start("rows")
        #expect(try await harness.lastValues() == [key: "\(key)=1"])
        await member.end()
    }

    @Test func `a member of an empty topic starts from its oversized states`() async throws {
        try await handle(["\(key)=1"], as: nil)
        let store = try StateStore(Database(path: harness.directory.file("rows")), topics: [harness.output])
        try store.keep([Array(key.utf8): NumberSet(key, [1]).text], of: harness.output(1)) { one, _ in one }
        store.close()
        let member = try await start("rows")
        await member.end()
    }
}
