import Foundation
import Kafka
import Lifecycle
import PipelineRuntime
import PipelineTestSupport
import Primitives
import SQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Rows over time (due, expired, too large, published under other rules) and their file.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateLifetimeTests {
    private let harness: StateHarness

    init() throws { harness = try StateHarness() }

    @Test func `due rows are returned by deadline, in owned partitions only`() async throws {
        let owner = try await harness.member("owner", model: NumberSetModel(hasDeadline: true))
        let other = try await harness.member("other", model: NumberSetModel(hasDeadline: true))
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge(
            [NumberSet("late", [30]), NumberSet("soon", [10]), NumberSet("next", [20])], from: harness.input)
        try await owner.catchUp()
        try await other.catchUp()
        #expect(try owner.dueRows(upTo: 25, atMost: 10).map(\.key) == ["soon", "next"])
        #expect(try owner.dueRows(upTo: 25, atMost: 1).map(\.key) == ["soon"])
        #expect(try other.dueRows(upTo: 25, atMost: 10).isEmpty)
        await owner.partitionReleased(harness.place())
        #expect(try owner.dueRows(upTo: 25, atMost: 10).isEmpty)
        await owner.end()
        await other.end()
    }

    @Test func `due rows can be limited to prefixes of their keys, also to thousands of them`() async throws {
        let owner = try await harness.member("owner", model: NumberSetModel(hasDeadline: true))
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge(
            [NumberSet("a/1", [1]), NumberSet("a/2", [2]), NumberSet("bb/1", [3]), NumberSet("c/1", [4])],
            from: harness.input)
        try await owner.catchUp()
        func due(_ keys: StateKeys) throws -> [String] {
            try owner.dueRows(upTo: 10, keys: keys, atMost: 10).map(\.key)
        }
        #expect(try due(.prefixed(Array("a/".utf8))) == ["a/1", "a/2"])
        #expect(try due(.notPrefixed([])) == ["a/1", "a/2", "bb/1", "c/1"])
        let others = (0..<3_000).map { Array("other \($0)/".utf8) }
        #expect(try due(.notPrefixed(others + [Array("bb/".utf8), Array("a/".utf8)])) == ["c/1"])
        await owner.end()
    }

    @Test func `callbacks run on the assignment and revocation of a partition`() async throws {
        let told = Mutex<[String]>([])
        let member = try await harness.member { options in
            options.assigned = { place in told.withLock { $0.append("assigned \(place.partition)") } }
            options.revoked = { place in told.withLock { $0.append("revoked \(place.partition)") } }
        }
        try await member.partitionAssigned(harness.place())
        await member.partitionReleased(harness.place())
        #expect(told.withLock { $0 } == ["assigned 0", "revoked 0"])
        await member.end()
    }

    @Test func `an expired row is deleted from every member's database`() async throws {
        let model = NumberSetModel(expires: true)
        let owner = try await harness.member("owner", model: model)
        let other = try await harness.member("other", model: model)
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [5_000]), NumberSet("b", [90_000])], from: harness.input)
        harness.now.store(5_000, ordering: .relaxed)
        #expect(await eventually { (try? await owner.dump()) == ["b=90000"] })
        #expect(try await other.dump() == ["b=90000"])
        #expect(try await harness.lastValues() == ["b": "b=90000"])
        await owner.end()
        await other.end()
    }

    @Test func `a row too large to publish keeps its last value, is counted and does not block others`() async throws {
        let metrics = MetricsRegistry()
        let owner = try await harness.member(model: NumberSetModel(padding: 1_100_000), metrics: metrics)
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.input)
        _ = try await owner.merge([NumberSet("a", [2, 3]), NumberSet("b", [1])], from: harness.input)
        #expect(try await harness.lastValues() == ["a": "a=1", "b": "b=1"])
        #expect(metrics.sum("sluice_state_oversized_total") == 1)
        #expect(metrics.sum("sluice_state_oversized_rows") == 1)
        _ = try await owner.merge([NumberSet("b", [2])], from: harness.input)
        await owner.partitionReleased(harness.place())
        try await owner.partitionAssigned(harness.place())
        await owner.end()
        // The process does not lose it: it is published as soon as it fits.
        let again = try await harness.member()
        try await again.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["a": "a=1,2,3", "b": "b=1,2"])
        try await again.catchUp()
        #expect(try again.parts().database.store.oversized(harness.output()).isEmpty)
        await again.end()
    }

    @Test func `refused states of one row are kept together`() async throws {
        let owner = try await harness.member(model: NumberSetModel(padding: 1_100_000))
        try await owner.partitionAssigned(harness.place())
        for numbers in [[1], [2, 3], [4, 5]] as [Set<Int>] {
            _ = try await owner.merge([NumberSet("a", numbers)], from: harness.input)
        }
        #expect(try await harness.lastValues() == ["a": "a=1"])
        let kept = try owner.partition(harness.output()).withLock { $0.oversized.mapValues(\.encoded) }
        #expect(kept == [Array("a".utf8): NumberSet("a", [1, 2, 3, 4, 5]).text])
        #expect(try owner.parts().database.store.oversized(harness.output()) == kept)
        await owner.end()
        let again = try await harness.member()
        try await again.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["a": "a=1,2,3,4,5"])
        await again.end()
    }

    @Test func `a refused state is kept until exactly that state is published`() async throws {
        let store = try StateStore(Database(path: harness.directory.file("rows")), topics: [harness.output])
        let place = harness.output()
        let key = Array("a".utf8)
        let model = NumberSetModel()
        func keep(_ numbers: Set<Int>) throws {
            try store.keep([key: NumberSet("a", numbers).text], of: place, joinedBy: model.join)
        }
        func publish(_ numbers: Set<Int>) throws {
            _ = try store.apply(
                StateWrite(
                    rows: [], partition: place, next: 1, now: 0, fitting: [key: NumberSet("a", numbers).text]))
        }
        try keep([1, 2])
        try keep([1])
        #expect(try store.oversized(place) == [key: NumberSet("a", [1, 2]).text])
        try publish([1])
        #expect(try store.oversized(place) == [key: NumberSet("a", [1, 2]).text])
        try publish([1, 2])
        #expect(try store.oversized(place).isEmpty)
        store.close()
    }

    @Test func `a value above the size limit is published, counted and logged`() async throws {
        let metrics = MetricsRegistry()
        let log = MemoryLogSink()
        let owner = try await harness.member(metrics: metrics, log: log) { $0.largeValue = 8 }
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [100_000]), NumberSet("b", [1_000_000])], from: harness.input)
        #expect(try await harness.lastValues() == ["a": "a=100000", "b": "b=1000000"])
        #expect(metrics.sum("sluice_state_large_values_total") == 1)
        #expect(log.lines.contains { $0.contains("published value exceeds the recommended size") })
        await owner.end()
    }

    @Test func `changed rules republish every owned row at a bounded rate, continuing after a restart`() async throws {
        let first = try await harness.member(model: NumberSetModel(fingerprint: "one"))
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge((0..<60).map { NumberSet("k\($0)", [1]) }, from: harness.input)
        try await first.catchUp()
        #expect(
            await eventually {
                (try? first.parts().database.store.position(of: harness.output())?.form) == RecordMark.form(of: "one")
            })
        await first.end()
        #expect(try await harness.published().count == 60)

        let changed = NumberSetModel(fingerprint: "two")
        let second = try await harness.member(model: changed) { $0.republishRate = 50 }
        try await second.partitionAssigned(harness.place())
        #expect(await eventually { ((try? await harness.published().count) ?? 0) >= 80 })
        // A lower bound that does not depend on the machine's speed: 20 rows at 50 per second, five at once.
        let times = try await harness.published().dropFirst(60).prefix(20).compactMap(\.timestampMilliseconds)
        let (oldest, newest) = try (#require(times.min()), #require(times.max()))
        #expect(newest - oldest >= 290)
        await second.end()

        let third = try await harness.member(model: changed)
        try await third.partitionAssigned(harness.place())
        #expect(
            await eventually {
                (try? third.parts().database.store.position(of: harness.output())?.form) == RecordMark.form(of: "two")
            })
        let published = try await harness.published()
        let again = published.dropFirst(60)
        #expect(Set(again.compactMap(\.key)).count == 60)
        #expect(again.count == 60)
        await third.end()
    }

    @Test func `a partition is not searched for other rules while all its records are of these rules`() throws {
        let store = try StateStore(Database(path: harness.directory.file("rows")), topics: [harness.output])
        func apply(_ partition: Int32, next: Int64, isOtherForm: Bool) throws -> Int64? {
            let place = harness.output(partition)
            _ = try store.apply(
                StateWrite(rows: [], partition: place, next: next, now: 0, isOtherForm: isOtherForm, form: 7))
            return try store.position(of: place)?.form
        }
        #expect(try apply(0, next: 1, isOtherForm: false) == 7)
        #expect(try apply(1, next: 1, isOtherForm: true) != 7)
        // Later records published under these rules prove nothing about earlier ones, so one record published under
        // other rules is enough.
        #expect(try apply(1, next: 2, isOtherForm: false) != 7)
        #expect(try apply(0, next: 2, isOtherForm: true) != 7)
        store.close()
    }

    @Test func `a record of other rules that is applied during a search is found by the next one`() throws {
        let store = try StateStore(Database(path: harness.directory.file("rows")), topics: [harness.output])
        let place = harness.output()
        func apply(next: Int64, isOtherForm: Bool) throws {
            _ = try store.apply(
                StateWrite(rows: [], partition: place, next: next, now: 0, isOtherForm: isOtherForm, form: 7))
        }
        try apply(next: 1, isOtherForm: true)
        try store.beginSearch(for: 7, of: place)
        try apply(next: 2, isOtherForm: true)
        try store.note(form: 7, of: place)
        #expect(try store.position(of: place)?.form != 7)
        try store.beginSearch(for: 7, of: place)
        #expect(try store.position(of: place)?.form != 7)
        try apply(next: 3, isOtherForm: false)
        try store.note(form: 7, of: place)
        #expect(try store.position(of: place)?.form == 7)
        store.close()
    }

    @Test func `the next owner republishes rows of a member with other rules`() async throws {
        try await harness.write("a", NumberSet("a", [1]).text)
        let owner = try await harness.member(model: NumberSetModel(fingerprint: "one"))
        try await owner.partitionAssigned(harness.place())
        #expect(await eventually { ((try? await harness.published().count) ?? 0) == 2 })
        await owner.end()
    }

    @Test func `a record of a newer format ends the process and is not overwritten`() async throws {
        let owner = try await harness.member()
        let running = RunHarness { try await owner.run() }
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.input)
        try await owner.catchUp()
        try await harness.write("a", Array("v2 a=1".utf8))
        let failure = try await running.failed()
        #expect(failure?.exitCode == .configuration)
        #expect(owner.obstacle != nil)
        let error = await #expect(throws: StateError.self) {
            _ = try await owner.merge([NumberSet("a", [2])], from: harness.input)
        }
        #expect(error?.code == .newer)
        #expect(try await harness.lastValues() == ["a": "v2 a=1"])
        await owner.end()
    }

    @Test(arguments: [
        (StateError(.ownedByAnother, "x"), "Stop the other process"),
        (StateError(.damaged, "x"), "rebuilt from Kafka"),
        (StateError(.newer, "x"), "Run the version that wrote it"), (StateError(.sqlite, "x"), "that has free space"),
    ])
    func `the error for a database that cannot be opened names data.dir and the fix`(error: StateError, fix: String) {
        let refusal = StateFile.test("/data/rows.sqlite").refusal(error)
        #expect(refusal.setting == "data.dir")
        #expect(refusal.line.contains("/data/rows.sqlite") && refusal.line.contains(fix))
    }

    @Test func `the error for a file of another cluster names its setting`() async throws {
        let member = try await harness.member()
        await member.end()
        let path = harness.directory.file("state")
        let database = try Database(path: path)
        try database.run("UPDATE file SET value = 'another' WHERE name = 'cluster'")
        database.close()
        let refusal = await #expect(throws: StartupError.self) { _ = try await harness.member() }
        #expect(refusal?.exitCode == .configuration)
        #expect(refusal?.setting == "data.dir")
        #expect(refusal?.line.contains("another") == true)
    }

    @Test func `a file damaged during use ends the process, and the next start rebuilds it`() async throws {
        let first = try await harness.member()
        let running = RunHarness { try await first.run() }
        try await first.partitionAssigned(harness.place())
        _ = try await first.merge([NumberSet("a", [1])], from: harness.input)
        try await first.catchUp()
        await first.end()
        running.end()
        // SQLite can read this row, but the model cannot decode it.
        let database = try Database(path: harness.directory.file("state"))
        try database.run("UPDATE rows SET state = x'00'")
        database.close()

        let second = try await harness.member()
        let again = RunHarness { try await second.run() }
        try await second.partitionAssigned(harness.place())
        await #expect(throws: StateError.self) {
            _ = try await second.merge([NumberSet("a", [2])], from: harness.input)
        }
        #expect(try await again.failed()?.exitCode == .failure)
        await second.end()

        let third = try await harness.member()
        try await third.partitionAssigned(harness.place())
        #expect(try await third.dump() == ["a=1"])
        let files = try FileManager.default.contentsOfDirectory(atPath: harness.directory.path)
        #expect(files.contains { $0.hasPrefix("state.damaged-") })
        #expect(!files.contains("state.damaged"))
        await third.end()
    }

    @Test func `a contribution returns once it has been read back, and leaves nothing if refused`() async throws {
        let owner = try await harness.member("owner")
        let other = try await harness.member("other", model: NumberSetModel(padding: 1_100_000))
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("a", [1])], from: harness.input)
        try await other.catchUp()
        let key = Array("a".utf8)
        let state = try await other.contribute(to: key, from: harness.input) { _ in NumberSet("a", [2]) }
        #expect(state == NumberSet("a", [1, 2]))
        #expect(
            try other.parts().database.rows.row(of: key, in: harness.output())?.image.encoded
                == NumberSet("a", [1, 2]).text)
        // Too large to publish, so no member has it, not even this one.
        await #expect(throws: StateError.self) {
            _ = try await other.contribute(to: key, from: harness.input) { _ in NumberSet("a", [3]) }
        }
        #expect(try await other.dump() == ["a=1,2"])
        #expect(try await owner.dump() == ["a=1,2"])
        await owner.end()
        await other.end()
    }

    @Test func `a contribution that adds nothing returns once the published row has been read back`() async throws {
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        let (store, place, key) = (try member.parts().database.store, harness.output(), Array("a".utf8))
        let (isBusy, mayGoOn, isAnswered) = (Completion(), DispatchGate(), Completion())
        // While the database is busy, nothing is read back.
        let error = OwnThread.start(name: "busy") {
            try? store.change { _ in
                isBusy.complete()
                mayGoOn.wait()
            }
        }
        try #require(error == 0)
        await isBusy.wait()
        let answer = Task {
            defer { isAnswered.complete() }
            _ = try await member.merge([NumberSet("a", [1])], from: harness.input)
            return try await member.contribute(to: key, from: harness.input) { _ in NumberSet("a", [1]) }
        }
        let isWaiting = await eventually { isAnswered.isComplete || member.progress.isAwaited(place) }
        #expect(isWaiting && !isAnswered.isComplete)
        mayGoOn.open()
        #expect(try await answer.value == NumberSet("a", [1]))
        let row = try member.parts().database.rows.row(of: key, in: place)
        #expect(row?.image.encoded == NumberSet("a", [1]).text)
        await member.end()
    }

    @Test func `a wait for an acknowledgement ends with its task`() async throws {
        let delivery = StateDelivery(harness.output())
        delivery.expect()
        delivery.seal()
        let waiting = Task { try await delivery.outcome() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        delivery.report(1, .failure(KafkaError(.timedOut, "late")), isAlone: true)
        #expect(try await delivery.outcome().failures.count == 1)
    }

    @Test func `a record that cannot be merged is dead-lettered, and the others of its batch complete`() async throws {
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        let handler = KeyedStateHandler(member) { record in
            record.value.flatMap(NumberSet.init).map { .state($0) } ?? .verdict(.skip("none"))
        }
        let records = ["a=1", "a=666", "x", "b=2"].enumerated().map { offset, text in
            KafkaRecord(
                topic: harness.input, partition: 0, offset: KafkaOffset(rawValue: Int64(offset)), key: nil,
                value: Array(text.utf8))
        }
        #expect(try await handler.handle(records) == [.done, .deadLetter("poison"), .skip("none"), .done])
        #expect(try await member.dump() == ["a=1", "b=2"])
        await member.end()
    }
}

extension StateFile {
    static func test(_ path: String) -> StateFile {
        StateFile(path: path, logger: Logger(label: "test", level: .debug, format: .json, sink: MemoryLogSink()))
    }
}
