import Cryptography
import Kafka
import Testing

@testable import Webhooks

/// The states that the receiver accepted.
@Suite struct AcceptedStatesTests {
    private let states = AcceptedStates()

    private func record(_ key: Int, partition: KafkaPartition = 0) -> KafkaRecord {
        KafkaRecord(topic: "t", partition: partition, offset: 0, key: Array("\(key)".utf8), value: nil)
    }

    private func content(_ text: String, version: String = "1") -> StateContent {
        StateContent(version: version, digest: SHA256.digest(of: Array(text.utf8)))
    }

    @Test func `only the last accepted state of a purchase is compared, and a state without content never matches`() {
        states.accepted(content("a"), of: record(1))
        #expect(states.hasAccepted(content("a"), of: record(1)))
        #expect(!states.hasAccepted(content("a"), of: record(2)))
        #expect(!states.hasAccepted(content("a"), of: record(1, partition: 1)))
        states.accepted(content("b"), of: record(1))
        #expect(!states.hasAccepted(content("a"), of: record(1)))
        states.accepted(nil, of: record(3))
        #expect(!states.hasAccepted(nil, of: record(3)))
    }

    @Test func `an older state does not match the accepted one`() {
        states.accepted(content("b", version: "2"), of: record(1))
        #expect(!states.hasAccepted(content("b", version: "1"), of: record(1)))
        states.accepted(content("a", version: "1"), of: record(1))
        #expect(!states.hasAccepted(content("a", version: "3"), of: record(1)))
        #expect(states.hasAccepted(content("b", version: "3"), of: record(1)))
    }

    @Test func `posting another state or an erasure of a purchase removes its accepted state, unless that is newer`() {
        for key in 1...2 { states.accepted(content("a", version: "2"), of: record(key)) }
        states.willPost(content("b", version: "1"), of: record(1))
        #expect(states.hasAccepted(content("a", version: "4"), of: record(1)))
        states.willPost(content("b", version: "3"), of: record(1))
        #expect(!states.hasAccepted(content("a", version: "4"), of: record(1)))
        #expect(states.hasAccepted(content("a", version: "4"), of: record(2)))
        states.willPost(nil, of: record(2))
        #expect(!states.hasAccepted(content("a", version: "4"), of: record(2)))
    }

    @Test func `the number of purchases is bounded, and a partition is reset beyond the bound`() {
        for key in 0..<AcceptedStates.limit { states.accepted(content("a"), of: record(key)) }
        #expect(states.hasAccepted(content("a"), of: record(0)))
        states.accepted(content("a"), of: record(AcceptedStates.limit))
        #expect(!states.hasAccepted(content("a"), of: record(0)))
        #expect(states.hasAccepted(content("a"), of: record(AcceptedStates.limit)))
    }
}
