import Kafka
import PipelineTestSupport
import Primitives
import SQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// A state topic that was deleted and recreated while no member was running.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RecreatedTopicTests {
    private static let record = record(at: 5, key: [1], value: [2])

    private static func record(
        at timestamp: Int64, key: [UInt8], value: [UInt8]?, mark: RecordMark? = nil
    ) -> KafkaRecord {
        KafkaRecord(
            topic: "t", partition: 0, offset: 3, timestampMilliseconds: timestamp, key: key, value: value,
            headers: mark.map { [KafkaHeader(key: RecordMark.header, value: $0.text)] } ?? [])
    }

    @Test(arguments: [
        record(at: 6, key: [1], value: [2]), record(at: 5, key: [], value: [1, 2]), record(at: 5, key: [1], value: nil),
        record(at: 5, key: [1], value: []),
        record(at: 5, key: [1], value: [2], mark: RecordMark(writer: 1, number: 1, form: 0)),
    ])
    func `different records have different fingerprints`(other: KafkaRecord) {
        #expect(RecordPrint(Self.record) == RecordPrint(Self.record))
        #expect(RecordPrint(other).digest != RecordPrint(Self.record).digest)
    }

    /// The last record in the file differs from the topic's.
    @Test func `if the record before the position differs, everything is read and published again`() async throws {
        let harness = try StateHarness()
        let metrics = MetricsRegistry()
        let before = try await harness.member()
        try await before.partitionAssigned(harness.place())
        _ = try await before.merge([NumberSet("a", [1]), NumberSet("b", [1])], from: harness.input)
        try await before.catchUp()
        let known = try #require(try before.parts().database.store.position(of: harness.output()))
        #expect(known.last?.offset == 1)
        await before.end()
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        let write = StateWrite(
            rows: [], partition: harness.output(), next: 2, now: harness.now.load(ordering: .relaxed),
            last: RecordPrint(offset: 1, digest: (known.last?.digest ?? 0) ^ 1))
        _ = try store.apply(write)
        store.close()
        let again = try await harness.member(metrics: metrics)
        try await again.partitionAssigned(harness.place())
        #expect(metrics.sum("sluice_state_recreated_total") == 1)
        #expect(try await again.dump() == ["a=1", "b=1"])
        await again.end()
        // Restarts with this file, in which the last record is now the topic's.
        let third = try await harness.member(metrics: metrics)
        try await third.partitionAssigned(harness.place())
        #expect(metrics.sum("sluice_state_recreated_total") == 1)
        await third.end()
    }

    /// If the record before the position is unknown, for example after compaction, the time of the oldest record
    /// decides.
    @Test(arguments: [(-200_000, 0), (-400_000, 1)] as [(Int64, Double)])
    func `a topic whose oldest record is newer than the file is treated as recreated`(
        _ written: Int64, recreated: Double
    ) async throws {
        let harness = try StateHarness()
        let now = SystemClock.wallMilliseconds()
        harness.now.store(now, ordering: .relaxed)
        let before = try await harness.member()
        try await before.partitionAssigned(harness.place())
        _ = try await before.merge([NumberSet("a", [1]), NumberSet("b", [1])], from: harness.input)
        try await before.catchUp()
        await before.end()
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        _ = try store.apply(StateWrite(rows: [], partition: harness.output(), next: 2, now: now + written, last: nil))
        store.close()
        let metrics = MetricsRegistry()
        let again = try await harness.member(metrics: metrics)
        try await again.partitionAssigned(harness.place())
        #expect(metrics.sum("sluice_state_recreated_total") == recreated)
        #expect(try await again.dump() == ["a=1", "b=1"])
        await again.end()
    }

    @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
    func `a recreated topic of Apache Kafka that grew beyond the position is read from the beginning`()
        async throws
    {
        let harness = try await StateHarness.onApacheKafka(["cleanup.policy": "compact"])
        let before = try await harness.member()
        try await before.partitionAssigned(harness.place())
        _ = try await before.merge([NumberSet("a", [1]), NumberSet("b", [1])], from: harness.input)
        try await before.catchUp()
        await before.end()
        _ = try await ApacheKafka.shared().tool("kafka-topics.sh", ["--delete", "--topic", harness.output.rawValue])
        try await harness.create([harness.output: ["cleanup.policy": "compact"]])
        for key in ["c", "d", "e", "f"] { try await harness.write(key, NumberSet(key, [2]).text) }
        let metrics = MetricsRegistry()
        let again = try await harness.member(metrics: metrics)
        try await again.partitionAssigned(harness.place())
        #expect(try await again.dump() == ["a=1", "b=1", "c=2", "d=2", "e=2", "f=2"])
        #expect(
            try await harness.lastValues()
                == ["a": "a=1", "b": "b=1", "c": "c=2", "d": "d=2", "e": "e=2", "f": "f=2"])
        #expect(metrics.sum("sluice_state_recreated_total") == 1)
        await again.end()
    }
}
