import Kafka
import KafkaDevBroker
import Synchronization
import TestSupport
import Testing

@testable import KeyedState

/// Updates that a row derives for other keys when no single writer had the complete row.
@Suite(.timeLimit(.minutes(3))) struct StateDerivationTests {
    /// The numbers of a set with both 1 and 2 are also merged into the next key.
    private static let model = NumberSetModel(successors: ["p": "q", "q": "r"], successionNeeds: [1, 2])

    private func expect(_ values: [String: String], in harness: StateHarness) async -> Bool {
        await eventually { (try? await harness.lastValues()) == values }
    }

    @Test func `halves written by two members lead to the derived updates of their union`() async throws {
        let harness = try StateHarness()
        let sleeper = try await harness.member("sleeper", model: Self.model)
        try await sleeper.partitionAssigned(harness.place())
        // The suspended member reads nothing that others publish.
        await sleeper.withRunning { $0.parts?.changelog.consumer }?.close(within: .seconds(5))
        let owner = try await harness.member("owner", model: Self.model)
        try await owner.partitionAssigned(harness.place())
        _ = try await owner.merge([NumberSet("p", [1])], from: harness.input)
        _ = try await sleeper.merge([NumberSet("p", [2])], from: harness.input)
        #expect(await expect(["p": "p=1,2", "q": "q=1,2", "r": "r=1,2"], in: harness))
        await owner.end()
        await sleeper.end()
    }

    @Test func `the next owner publishes the derived updates of joined halves before its first record`() async throws {
        let harness = try StateHarness()
        // The records of two members that have been killed.
        for numbers in [[1], [2]] as [Set<Int>] { try await harness.write("p", NumberSet("p", numbers).text) }
        let owner = try await harness.member(model: Self.model)
        try await owner.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["p": "p=1,2", "q": "q=1,2", "r": "r=1,2"])
        await owner.end()
    }

    @Test func `derived updates are in the topic before the row that derives them`() async throws {
        let harness = try StateHarness()
        for numbers in [[1], [2]] as [Set<Int>] { try await harness.write("p", NumberSet("p", numbers).text) }
        let owner = try await harness.member(model: Self.model)
        try await owner.partitionAssigned(harness.place())
        let order = try await harness.published().compactMap { $0.value.map { String(decoding: $0, as: UTF8.self) } }
        #expect(order.suffix(3) == ["r=1,2", "q=1,2", "p=1,2"])
        await owner.end()
    }

    @Test func `a row already in the topic publishes its derived updates when its update is repeated`() async throws {
        let harness = try StateHarness()
        // Each key derives an update for the other. The member that read 2 for s published p, and died before s.
        let model = NumberSetModel(successors: ["p": "s", "s": "p"])
        try await harness.write("p", NumberSet("p", [1, 2]).text)
        let next = try await harness.member(model: model)
        try await next.partitionAssigned(harness.place())
        _ = try await next.merge([NumberSet("s", [2])], from: harness.input)
        #expect(try await harness.lastValues() == ["p": "p=1,2", "s": "s=1,2"])
        await next.end()
    }

    @Test func `a joined row is always published after its derived updates`() async throws {
        let harness = try StateHarness()
        for numbers in [[1], [2]] as [Set<Int>] { try await harness.write("p", NumberSet("p", numbers).text) }
        let member = try await harness.member(model: Self.model)
        try await member.catchUp()
        let (partition, key) = (try member.partition(harness.output()), Array("p".utf8))
        #expect(try partition.republish([key], at: 1_000) == nil)
        #expect(try partition.republish([key], at: 1_000, derived: [NumberSet("p", [1])]) == nil)
        #expect(try partition.republish([key], at: 1_000, derived: [NumberSet("p", [1, 2])])?.count == 1)
        await member.end()
    }

    @Test func `a row that a handler is about to publish is not published before its derived updates`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: Self.model)
        let partition = try member.partition(harness.output())
        let merge = try partition.merge([NumberSet("p", [1, 2])], at: 1_000)
        #expect(merge.deferred == [NumberSet("p", [1, 2])] && merge.changed == [])
        #expect(try partition.statesBehind([Array("p".utf8)], at: 1_000) == [NumberSet("p", [1, 2])])
        #expect(try partition.republish([Array("p".utf8)], at: 1_000) == nil)
        #expect(try await harness.published().isEmpty)
        await member.end()
    }

    @Test func `a row that has grown since its updates were published is deferred again`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: Self.model)
        let partition = try member.partition(harness.output())
        let roots = try partition.merge([NumberSet("p", [1, 2])], at: 1_000).deferred
        try await harness.write("p", NumberSet("p", [3]).text)
        try await member.catchUp()
        let early = try partition.merge(roots, at: 1_000, .published)
        #expect(early.changed == [] && early.deferred == [NumberSet("p", [1, 2, 3])])
        let merge = try partition.merge(early.deferred, at: 1_000, .published)
        #expect(merge.changed == [NumberSet("p", [1, 2, 3])] && merge.deferred == [])
        await member.end()
    }

    @Test func `a refused row is published after its derived updates`() async throws {
        let harness = try StateHarness()
        // One half is in a record of another member. The other half was refused and kept.
        try await harness.write("p", NumberSet("p", [2]).text)
        let member = try await harness.member(model: Self.model)
        try await member.partitionAssigned(harness.place())
        try member.partition(harness.output()).own(oversized: [Array("p".utf8): NumberSet("p", [1]).text])
        #expect(await expect(["p": "p=1,2", "q": "q=1,2", "r": "r=1,2"], in: harness))
        let order = try await harness.published().compactMap { $0.value.map { String(decoding: $0, as: UTF8.self) } }
        #expect(order.prefix(4) == ["p=2", "r=1,2", "q=1,2", "p=1,2"])
        await member.end()
    }

    @Test func `the next owner publishes the derived updates of a row that is marked as pending`() async throws {
        let harness = try StateHarness()
        try await harness.write(
            "p", NumberSet("p", [1, 2]).text, headers: [KafkaHeader(key: StateHeader.pending, text: "1")])
        let owner = try await harness.member(model: Self.model)
        try await owner.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["p": "p=1,2", "q": "q=1,2", "r": "r=1,2"])
        #expect(try await harness.pending().isEmpty)
        await owner.end()
    }

    @Test func `rows are pending while brokers refuse their derived updates, which are repeated`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let member = try await harness.member(model: Self.model)
        try await member.partitionAssigned(harness.place())
        // The update of r that q derives from p's update.
        try broker.failNext(.produce, with: [.recordRejected])
        let merged = try await member.merge([NumberSet("p", [1, 2])], from: harness.input)
        #expect(merged.faults[0] is RowRefusal)
        #expect(try await harness.lastValues() == ["p": "p=1,2", "q": "q=1,2"])
        #expect(try await harness.pending() == ["p", "q"])
        harness.now.store(62_000, ordering: .relaxed)
        #expect(await expect(["p": "p=1,2", "q": "q=1,2", "r": "r=1,2"], in: harness))
        #expect(await eventually { (try? await harness.pending()) == [] })
        await member.end()
        await broker.stop()
    }

    @Test func `refused updates of a pending row are repeated once a minute`() async throws {
        let harness = try StateHarness()
        let row = NumberSet("p", [1, 2])
        try await harness.write("p", row.text, headers: [KafkaHeader(key: StateHeader.pending, text: "1")])
        let member = try await harness.member(model: Self.model)
        try await member.catchUp()
        let (partition, key) = (try member.partition(harness.output()), Array("p".utf8))
        #expect(try partition.statesBehind([key], at: 0) == [row])
        partition.noteUpdates(of: key, areRefused: true, at: 0)
        #expect(try partition.statesBehind([key], at: 59_999) == [])
        #expect(try partition.statesBehind([key], at: 60_000) == [row])
        await member.end()
    }

    @Test func `a row that derives no update any more is not pending`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: Self.model)
        try await member.partitionAssigned(harness.place())
        // The row that derived the refused update was refused, too.
        try member.partition(harness.output()).noteUpdates(of: Array("p".utf8), areRefused: true, at: 0)
        _ = try await member.merge([NumberSet("p", [5])], from: harness.input)
        #expect(try await harness.pending().isEmpty)
        #expect(try await harness.published().count == 1)
        await member.end()
    }

    @Test func `a member that does not own a pending row leaves its refused updates to the owner`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: Self.model)
        let partition = try member.partition(harness.output())
        partition.noteUpdates(of: Array("p".utf8), areRefused: true, at: 0)
        let merge = try partition.merge([NumberSet("p", [1, 2])], at: 0, .later)
        _ = try await merge.deliveries.first?.outcome()
        #expect(try await harness.pending() == ["p"])
        #expect(partition.postponedRows == 0)
        await member.end()
    }

    @Test func `an unchanged row becomes pending if brokers refuse the updates that it derives`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        try await harness.write("q", NumberSet("q", [1, 2]).text)
        let member = try await harness.member(model: Self.model)
        try await member.partitionAssigned(harness.place())
        try broker.failNext(.produce, with: [.recordRejected])
        let merged = try await member.merge([NumberSet("p", [1, 2])], from: harness.input)
        #expect(merged.faults[0] is RowRefusal)
        #expect(try await harness.pending() == ["p", "q"])
        harness.now.store(62_000, ordering: .relaxed)
        #expect(await expect(["p": "p=1,2", "q": "q=1,2", "r": "r=1,2"], in: harness))
        #expect(await eventually { (try? await harness.pending()) == [] })
        await member.end()
        await broker.stop()
    }

    @Test func `a joined row is pending if it is published with a row that it derives updates for`() async throws {
        let harness = try StateHarness()
        for (key, numbers) in [("p", [1, 3]), ("p", [2]), ("q", [1]), ("q", [2])] as [(String, Set<Int>)] {
            try await harness.write(key, NumberSet(key, numbers).text)
        }
        let member = try await harness.member(model: Self.model)
        try await member.catchUp()
        let partition = try member.partition(harness.output())
        let derived = [NumberSet("p", [1, 2, 3]), NumberSet("q", [1, 2, 3])]
        // The update that p derives for q is merged, but not published.
        #expect(try partition.merge([derived[1]], at: 1_000).deferred == [derived[1]])
        let published = try partition.republish(["p", "q"].map { Array($0.utf8) }, at: 1_000, derived: derived)
        #expect(published?.count == 2)
        _ = try await published?.delivery.outcome()
        #expect(try await harness.pending() == ["p"])
        await member.end()
    }

    @Test func `a row is pending if it derives an update for a row that is published later`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: NumberSetModel(successors: ["p": "s", "s": "p"]))
        let partition = try member.partition(harness.output())
        let keys = [RowKey(Array("s".utf8))]
        let derived = [NumberSet("s", [1])]
        let merge = try partition.merge(
            derived, keys: keys, at: 1_000, .published, ancestors: [Array("p".utf8)])
        #expect(merge.changed == derived)
        _ = try await merge.deliveries.first?.outcome()
        #expect(try await harness.pending() == ["s"])
        await member.end()
    }

    @Test func `a row is pending if it derives an update for another row of its batch`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: NumberSetModel(successors: ["p": "q", "q": "r"]))
        try await member.partitionAssigned(harness.place())
        // Brokers may refuse q, and accept p.
        _ = try await member.merge([NumberSet("p", [1]), NumberSet("q", [2])], from: harness.input)
        let first = try await harness.published().first { $0.key == Array("p".utf8) }
        #expect(first?.header(StateHeader.pending) != nil)
        #expect(await eventually { (try? await harness.pending()) == [] })
        #expect(await expect(["p": "p=1", "q": "q=1,2", "r": "r=1,2"], in: harness))
        await member.end()
    }

    @Test func `joined rows that derive updates for each other are published completely by their owner`() async throws {
        let harness = try StateHarness()
        for (key, numbers) in [("p", [1]), ("p", [2]), ("s", [3]), ("s", [4])] as [(String, Set<Int>)] {
            try await harness.write(key, NumberSet(key, numbers).text)
        }
        let owner = try await harness.member(model: NumberSetModel(successors: ["p": "s", "s": "p"]))
        try await owner.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["p": "p=1,2,3,4", "s": "s=1,2,3,4"])
        #expect(try await harness.pending().isEmpty)
        await owner.end()
    }

    @Test(arguments: 1...20)
    func `records of others between the steps of an owner do not change the final state`(seed: UInt64) async throws {
        let harness = try StateHarness()
        var random = SeededGenerator(seed: seed)
        var facts: [String: Set<Int>] = [:]
        let owner = try await harness.member(model: Self.model)
        try await owner.partitionAssigned(harness.place())
        for _ in 0..<12 {
            let key = ["p", "q", "s"].randomElement(using: &random) ?? "p"
            let numbers: Set<Int> = [Int.random(in: 1...4, using: &random)]
            facts[key, default: []].formUnion(numbers)
            if Bool.random(using: &random) {
                _ = try await owner.merge([NumberSet(key, numbers)], from: harness.input)
            } else {
                try await harness.write(key, NumberSet(key, numbers).text)
            }
        }
        for (key, next) in [("p", "q"), ("q", "r")] {
            guard let numbers = facts[key], numbers.isSuperset(of: [1, 2]) else { continue }
            facts[next, default: []].formUnion(numbers)
        }
        var expected: [String: String] = [:]
        for (key, numbers) in facts { expected[key] = String(decoding: NumberSet(key, numbers).text, as: UTF8.self) }
        #expect(await expect(expected, in: harness))
        await owner.end()
    }

    /// Simulates the death of a member: cancels a task after it has sent some rows and before the last one is
    /// acknowledged.
    private enum Death {
        @TaskLocal static var countdown: Countdown?

        final class Countdown: Sendable {
            let left: Atomic<Int>
            init(_ count: Int) { left = Atomic(count) }
        }

        static let model = NumberSetModel(
            successors: ["p": "s", "s": "p"], successionNeeds: [2],
            publishes: {
                guard let countdown, countdown.left.subtract(1, ordering: .relaxed).newValue == 0 else { return }
                withUnsafeCurrentTask { $0?.cancel() }
            })
    }

    /// Each of the two keys derives all its numbers for the other as soon as it has 2.
    @Test(arguments: 1...12)
    func `members that die between two publications do not change the final state`(seed: UInt64) async throws {
        let harness = try StateHarness()
        var random = SeededGenerator(seed: seed)
        let records = [("p", 1), ("s", 2), ("p", 3), ("s", 4)].shuffled(using: &random).map { NumberSet($0, [$1]) }
        var deaths = 0
        var owner = try await harness.member("member", model: Death.model)
        try await owner.partitionAssigned(harness.place())
        for record in records {
            let countdown = Death.Countdown(Int.random(in: 1...3, using: &random))
            let merging = Task { [owner] in
                try await Death.$countdown.withValue(countdown) {
                    _ = try await owner.merge([record], from: harness.input)
                }
            }
            guard (try? await merging.value) == nil else { continue }
            // The next member repeats the unfinished work on another disk.
            await owner.end()
            deaths += 1
            owner = try await harness.member("member\(deaths)", model: Death.model)
            try await owner.partitionAssigned(harness.place())
            _ = try await owner.merge([record], from: harness.input)
        }
        #expect(await expect(["p": "p=1,2,3,4", "s": "s=1,2,3,4"], in: harness))
        await owner.end()
    }
}
