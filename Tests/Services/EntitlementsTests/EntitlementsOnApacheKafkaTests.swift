import TestSupport
import Testing

/// Repeats the embedded broker's suite on Apache Kafka, with real compaction, rebalances and commits.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct EntitlementsOnApacheKafkaTests {
    private let tests = EntitlementsOnBrokerTests()

    @Test func `records become entitlements across a restart, and poison records are dead-lettered`() async throws {
        try await ApacheKafka.use {
            try await tests.`records become entitlements across a restart, and poison records are dead-lettered`()
        }
    }

    @Test func `a claim assigns an unclaimed purchase to an account, and Apple's token overrides it`() async throws {
        try await ApacheKafka.use {
            try await tests.`a claim assigns an unclaimed purchase to an account, and Apple's token overrides it`()
        }
    }

    @Test func `an erasure leaves a tombstone, and a replay restores nothing`() async throws {
        try await ApacheKafka.use {
            try await tests.`an erasure leaves a tombstone, and a replay restores nothing`()
        }
    }

    @Test func `several members share the records, and each serves all purchases`() async throws {
        try await ApacheKafka.use {
            try await tests.`several members share the records, and each serves all purchases`()
        }
    }
}
