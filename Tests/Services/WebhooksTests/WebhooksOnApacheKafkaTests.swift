import TestSupport
import Testing

/// Repeats the embedded broker's suite on Apache Kafka, with its real log, commits and rebalances.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct WebhooksOnApacheKafkaTests {
    @Test func `no state is lost, skipped or reordered while the receiver is down`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests().`no state is lost, skipped or reordered while the receiver is down`()
        }
    }

    @Test func `a refused record is dead-lettered with the status, and the other records are delivered`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests()
                .`a refused record is dead-lettered with the status, and the other records are delivered`()
        }
    }

    @Test func `a record that the receiver cannot process does not block the records behind it`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests()
                .`a record that the receiver cannot process does not block the records behind it`()
        }
    }

    @Test func `a delivery interrupted by a stop is repeated after the next start`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests().`a delivery interrupted by a stop is repeated after the next start`()
        }
    }
}
