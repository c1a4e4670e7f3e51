import AppStoreModel
import KafkaModel
import Records
import Testing

/// The expectations of topics, and the environments of their names.
@Suite struct TopicExpectationTests {
    private let names = TopicNames(prefix: "shop")

    @Test func `topics have expectations in the given order, except those of an installation's own consumers`() {
        let topics: [KafkaTopic] = ["shop.quarantine", "shop.refunds.sandbox", "own.state", "shop.control"]
        let expectations = names.expectations(of: topics)
        #expect(expectations.map(\.topic) == ["shop.quarantine", "shop.refunds.sandbox", "shop.control"])
        #expect(expectations.map(\.cleanupPolicy) == ["delete", "compact", "compact"])
        #expect(expectations.map(\.retentionMilliseconds) == [8 * 86_400_000, nil, nil])
        #expect(expectations.map(\.compactionLagMilliseconds) == [nil, 86_400_000, nil])
    }

    @Test func `each environment has one topic of a kind`() {
        #expect(
            TopicNames.environments(of: names.refunds)
                == ["shop.refunds.production": .production, "shop.refunds.sandbox": .sandbox])
    }
}
