import Kafka
import PipelineTestSupport
import TestSupport
import Testing

@testable import KeyedState

/// The first proposal for a key in the log wins for every member.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateProposalTests {
    private let harness: StateHarness
    private let key = Array("case".utf8)

    init() throws { harness = try StateHarness() }

    @Test func `two members that propose at the same time see the same winner`() async throws {
        let one = try await harness.member("one")
        let two = try await harness.member("two")
        try await one.catchUp()
        try await two.catchUp()
        async let first = one.propose(Array("body of one".utf8), for: NumberSet("case", [1]), in: harness.input)
        async let second = two.propose(Array("body of two".utf8), for: NumberSet("case", [2]), in: harness.input)
        let (a, b) = try await (first, second)
        #expect(a.value == b.value)
        #expect(a.offset == b.offset)
        #expect(a.isOwn != b.isOwn)
        #expect(a.value == Array((a.isOwn ? "body of one" : "body of two").utf8))
        await one.end()
        await two.end()
    }

    @Test func `a proposal with a later offset loses, and the owner publishes the winner again`() async throws {
        let owner = try await harness.member("owner")
        try await owner.partitionAssigned(harness.place())
        let standing = try await owner.propose([1], for: NumberSet("case", [1]), in: harness.input)
        #expect(standing.isOwn)
        // A member that has not read that far.
        try await harness.write(
            "case", NumberSet("case", [9]).text, headers: [KafkaHeader(key: RecordMark.proposal, value: [2])])
        #expect(
            await eventually {
                let last = try? await harness.published().last
                return last.flatMap(StateProposal.init) == StateProposal(value: [1], offset: standing.offset)
            })
        // Compaction keeps only the last record of the key. A new disk restores the same winner from it.
        let last = try #require(try await harness.published().last)
        let other = try StateHarness()
        for _ in 0..<3 { try await other.write("filler", NumberSet("filler", [1]).text) }
        try await other.write("case", last.value, headers: last.headers)
        let new = try await other.member("new")
        try await new.catchUp()
        #expect(try new.proposal(of: key, in: other.input)?.value == [1])
        let late = try await new.propose([3], for: NumberSet("case", [1]), in: other.input)
        #expect(late.value == [1] && !late.isOwn)
        await owner.end()
        await new.end()
    }

    @Test func `a later merge keeps the proposal`() async throws {
        let owner = try await harness.member("owner")
        try await owner.partitionAssigned(harness.place())
        let standing = try await owner.propose([1], for: NumberSet("case", [1]), in: harness.input)
        _ = try await owner.merge([NumberSet("case", [2])], from: harness.input)
        try await owner.catchUp()
        let last = try #require(try await harness.published().last)
        #expect(last.value == NumberSet("case", [1, 2]).text)
        #expect(StateProposal(last) == StateProposal(value: [1], offset: standing.offset))
        await owner.end()
    }

    @Test func `a recreated topic keeps the winner of the earlier one`() async throws {
        let owner = try await harness.member("state")
        try await owner.partitionAssigned(harness.place())
        for number in 0..<5 { _ = try await owner.merge([NumberSet("other", [number])], from: harness.input) }
        _ = try await owner.propose([1], for: NumberSet("case", [1]), in: harness.input)
        try await owner.catchUp()
        try owner.parts().database.store.restart(harness.output())
        await owner.end()

        let store = try StateFile.test(harness.directory.file("state")).open(topics: [harness.output], now: 0)
        let rows = try StateRowSource(path: harness.directory.file("state"), topics: store.topics, connections: 1)
        #expect(try rows.row(of: key, in: harness.output())?.image.proposal == StateProposal(value: [1], offset: -1))
        #expect(try rows.pending(of: harness.output(), at: 0, atMost: 10).count == 2)
        rows.close()
        store.close()
    }
}
