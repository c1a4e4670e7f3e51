import Foundation
import Kafka
import PipelineTestSupport
import SQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// A member that dies at any step, is suspended too long, or restarts with an earlier file must reach the same rows and
/// the same topic.
@Suite(.timeLimit(.minutes(2)), .serialized) struct StateCrashTests {
    private let harness: StateHarness
    private let place: KafkaTopicPartition

    init() throws {
        harness = try StateHarness()
        place = KafkaTopicPartition(topic: harness.output, partition: 0)
    }

    /// Copies the file as a crash at this moment would leave it.
    private func image(of file: String, as copy: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: harness.directory.file(file + suffix)) {
            try FileManager.default.copyItem(
                atPath: harness.directory.file(file + suffix), toPath: harness.directory.file(copy + suffix))
        }
    }

    @Test func `a state published before its acknowledgement arrived is not published again`() async throws {
        try await harness.write("a", NumberSet("a", [1]).text)
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1])], from: harness.input)
        #expect(try await harness.published().count == 1)
        await member.end()
    }

    @Test func `a member killed between acknowledgement and input commit publishes nothing twice`() async throws {
        let first = try await harness.member("first")
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge([NumberSet("a", [1]), NumberSet("b", [2])], from: harness.input)
        try image(of: "first", as: "image")
        let second = try await harness.member("image")
        try await second.partitionAssigned(harness.place())
        let again = try await second.merge([NumberSet("a", [1]), NumberSet("b", [2])], from: harness.input)
        #expect(again.changed.isEmpty)
        #expect(try await second.dump() == ["a=1", "b=2"])
        #expect(try await harness.published().count == 2)
        await second.end()
        await first.end()
    }

    @Test func `the new owner repairs the incomplete record of a previous owner that wakes up late`() async throws {
        let old = try await harness.member("old")
        try await old.partitionAssigned(harness.place())
        _ = try await old.merge([NumberSet("a", [1])], from: harness.input)
        // The suspended member reads nothing that others publish.
        await old.withRunning { $0.parts?.changelog.consumer }?.close(within: .seconds(5))

        let owner = try await harness.member("owner")
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [2]), NumberSet("b", [3])], from: harness.input)

        _ = try await old.merge([NumberSet("a", [9])], from: harness.input)
        #expect(try await harness.published().contains { $0.value == NumberSet("a", [1, 9]).text })
        let isRepaired = await eventually {
            (try? await harness.lastValues()) == ["a": "a=1,2,9", "b": "b=3"]
        }
        #expect(isRepaired)
        #expect(try await owner.dump() == ["a=1,2,9", "b=3"])
        await owner.end()
        await old.end()
    }

    /// Rows of a member whose file contains an erased row. The tombstone may have been compacted away.
    ///
    /// - Parameter milliseconds: time since the last write to the file; negative if that time is in the future.
    private func rows(_ harness: StateHarness, missing milliseconds: Int64) async throws -> [String] {
        let place = KafkaTopicPartition(topic: harness.output, partition: 0)
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        let image = RowImage(encoded: NumberSet("erased", [1]).text)
        let write = RowWrite(key: Array("erased".utf8), id: 0, image: image, oldEntries: [])
        let written: Int64 = 1_000_000
        _ = try store.apply(StateWrite(rows: [write], partition: place, next: 1, now: written))
        store.close()
        try await harness.write("a", NumberSet("a", [1]).text)
        try await harness.write("b", NumberSet("b", [1]).text)
        harness.now.store(written + milliseconds, ordering: .relaxed)
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        let rows = try await member.dump()
        await member.end()
        return rows
    }

    @Test(
        arguments: [(20 * 3_600_000, ["b=1", "erased=1"]), (20 * 3_600_000 + 1, ["a=1", "b=1"])] as [(Int64, [String])])
    func `a file that was behind for longer than tombstones are retained is rebuilt`(
        milliseconds: Int64, rows: [String]
    ) async throws {
        #expect(try await self.rows(harness, missing: milliseconds) == rows)
    }

    @Test(arguments: [(-300_000, ["b=1", "erased=1"]), (-300_001, ["a=1", "b=1"])] as [(Int64, [String])])
    func `a file written more than five minutes in the future is rebuilt`(
        milliseconds: Int64, rows: [String]
    ) async throws {
        #expect(try await self.rows(harness, missing: milliseconds) == rows)
    }

    @Test(
        .enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"),
        arguments: [(50_000, ["b=1", "erased=1"]), (50_001, ["a=1", "b=1"])] as [(Int64, [String])])
    func `with a shorter retention of tombstones on Apache Kafka the file is rebuilt sooner`(
        milliseconds: Int64, rows: [String]
    ) async throws {
        let harness = try await StateHarness.onApacheKafka([
            "cleanup.policy": "compact", "delete.retention.ms": "60000",
        ])
        #expect(try await self.rows(harness, missing: milliseconds) == rows)
    }

    @Test func `an earlier file, the newest file and no file reach the same state`() async throws {
        let first = try await harness.member("newest")
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge(
            [NumberSet("a", [1]), NumberSet("b", [2]), NumberSet("erased", [3])], from: harness.input)
        await first.end()
        try image(of: "newest", as: "earlier")
        let second = try await harness.member("newest")
        try await second.partitionAssigned(harness.place())
        _ = try await second.merge([NumberSet("a", [4]), NumberSet("c", [5])], from: harness.input)
        try await harness.write("erased", nil)
        #expect(await eventually { (try? await second.dump()) == ["a=1,4", "b=2", "c=5"] })
        await second.end()

        let published = try await harness.published()
        for file in ["earlier", "newest", "none"] {
            let member = try await harness.member(file)
            try await member.partitionAssigned(harness.place())
            #expect(try await member.dump() == ["a=1,4", "b=2", "c=5"], "\(file)")
            // Input read after the earlier file was copied may be delivered again.
            let again = try await member.merge([NumberSet("a", [4]), NumberSet("b", [2])], from: harness.input)
            #expect(again.changed.isEmpty, "\(file)")
            await member.end()
        }
        #expect(try await harness.published() == published)
    }
}
