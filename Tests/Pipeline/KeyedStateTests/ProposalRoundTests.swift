import Kafka
import TestSupport
import Testing

@testable import KeyedState

/// Proposals for a key with several rounds. In these tests a multiple of ten opens a round, and a proposal is one byte:
/// the greatest number in its proposer's state.
@Suite struct ProposalRoundTests {
    private let directory: TemporaryDirectory
    private let topic: KafkaTopic = "out"
    private let key = Array("case".utf8)

    init() throws { directory = try TemporaryDirectory() }

    private func state(file: String = "state") throws -> LocalState<NumberSetModel> {
        var model = NumberSetModel()
        model.hasRounds = true
        return try LocalState(path: directory.file(file), model: model, topics: [topic])
    }

    /// Creates a record of another member, with its proposal.
    private func record(_ numbers: Set<Int>, proposal: [UInt8]) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topic, timestampMilliseconds: 0, key: key, value: NumberSet("case", numbers).text,
            headers: [StateProposal.header(proposal)])
    }

    @Test func `a proposal of a later round replaces the one of an earlier round`() throws {
        let state = try state()
        #expect(try state.propose([10], for: NumberSet("case", [10]), in: topic, at: 0)?.value == [10])
        try state.merge([NumberSet("case", [20])], in: topic, at: 0)
        #expect(try state.proposal(of: key, in: topic)?.value == [10])
        #expect(try state.propose([20], for: NumberSet("case"), in: topic, at: 0)?.value == [20])
        #expect(StateProposal(try #require(state.log.last))?.value == [20])
        state.close()
    }

    @Test func `within a round the first proposal in the log wins over one based on more facts`() throws {
        let state = try state()
        try state.propose([10], for: NumberSet("case", [10]), in: topic, at: 0)
        #expect(try state.propose([15], for: NumberSet("case", [15]), in: topic, at: 0)?.value == [10])
        try state.write(record([10, 15], proposal: [15]))
        #expect(try state.proposal(of: key, in: topic)?.value == [10])
        state.close()
    }

    @Test func `a late proposal of an earlier round loses, and the winner is published again`() throws {
        let state = try state()
        try state.propose([20], for: NumberSet("case", [10, 20]), in: topic, at: 0)
        try state.write(record([10], proposal: [10]))
        #expect(try state.proposal(of: key, in: topic)?.value == [20])
        try state.publishPending(at: 0)
        #expect(StateProposal(try #require(state.log.last)) == StateProposal(value: [20], offset: 0))
        state.close()
    }

    @Test func `a late value can open a round between two others, with its own proposal`() throws {
        let state = try state()
        // 25 belongs to the round of 10 until 20 arrives, because rounds depend on the state.
        try state.propose([10], for: NumberSet("case", [10, 25]), in: topic, at: 0)
        #expect(try state.propose([25], for: NumberSet("case"), in: topic, at: 0)?.value == [10])
        try state.merge([NumberSet("case", [20])], in: topic, at: 0)
        #expect(try state.propose([25], for: NumberSet("case"), in: topic, at: 0)?.value == [25])
        state.close()
    }

    @Test func `a member that reads the log later finds the same winner`() throws {
        let one = try state()
        try one.propose([10], for: NumberSet("case", [10]), in: topic, at: 0)
        try one.propose([20], for: NumberSet("case", [20]), in: topic, at: 0)
        try one.write(record([10], proposal: [11]))
        try one.merge([NumberSet("case", [21])], in: topic, at: 0)
        let two = try state(file: "other")
        for record in one.log {
            try two.write(
                KafkaProducerRecord(
                    topic: topic, timestampMilliseconds: 0, key: record.key, value: record.value,
                    headers: record.headers.filter { $0.key != RecordMark.header }))
        }
        #expect(try two.proposal(of: key, in: topic) == one.proposal(of: key, in: topic))
        #expect(try two.proposal(of: key, in: topic)?.value == [20])
        one.close()
        two.close()
    }

    @Test func `a proposal that the model does not retain is removed, also from later records`() throws {
        var model = NumberSetModel()
        model.dropsProposals = true
        let state = try LocalState(path: directory.file("state"), model: model, topics: [topic])
        try state.propose([10], for: NumberSet("case", [10]), in: topic, at: 0)
        try state.write(
            KafkaProducerRecord(topic: topic, timestampMilliseconds: 0, key: key, value: NumberSet("case", [0]).text))
        #expect(try state.proposal(of: key, in: topic) == nil)
        try state.publishPending(at: 0)
        #expect(StateProposal(try #require(state.log.last)) == nil)
        // Another member has not read the drop yet.
        try state.write(record([0, 10], proposal: [10]))
        #expect(try state.proposal(of: key, in: topic) == nil)
        try state.publishPending(at: 0)
        #expect(StateProposal(try #require(state.log.last)) == nil)
        #expect(try state.state(of: key, in: topic) == NumberSet("case", [0, 10]))
        state.close()
    }

    @Test func `a losing proposal changes nothing`() throws {
        let state = try state()
        try state.propose([10], for: NumberSet("case", [10]), in: topic, at: 0)
        try state.propose([12], for: NumberSet("case", [12]), in: topic, at: 0)
        #expect(try state.state(of: key, in: topic) == NumberSet("case", [10]))
        #expect(state.log.count == 1)
        state.close()
    }
}
