import TestSupport
import Testing

/// The suite of the embedded broker on Apache Kafka, with real compaction, rebalances and commits.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct EntitlementsOnApacheKafkaTests {
    private let tests = EntitlementsOnBrokerTests()

    @Test func `records become answers, over a restart, and poison is put aside`() async throws {
        try await ApacheKafka.use {
            try await tests.`records become answers, over a restart, and poison is put aside`()
        }
    }

    @Test func `a claim gives an unclaimed purchase an account, and Apple's word stands above it`() async throws {
        try await ApacheKafka.use {
            try await tests.`a claim gives an unclaimed purchase an account, and Apple's word stands above it`()
        }
    }

    @Test func `an erasure leaves a tombstone, and a replay brings nothing back`() async throws {
        try await ApacheKafka.use {
            try await tests.`an erasure leaves a tombstone, and a replay brings nothing back`()
        }
    }

    @Test func `several members share the records, and each answers for all of them`() async throws {
        try await ApacheKafka.use {
            try await tests.`several members share the records, and each answers for all of them`()
        }
    }
}
