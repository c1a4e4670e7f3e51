import TestSupport
import Testing

/// The suite of the embedded broker on Apache Kafka, with its real log, commits and rebalances.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct WebhooksOnApacheKafkaTests {
    @Test func `while the receiver is away nothing is lost, skipped or overtaken`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests().`while the receiver is away nothing is lost, skipped or overtaken`()
        }
    }

    @Test func `a record that alone is refused is dead-lettered with the status, and the others go on`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests()
                .`a record that alone is refused is dead-lettered with the status, and the others go on`()
        }
    }

    @Test func `one record that the receiver cannot take stops nothing behind it, however much that is`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests()
                .`one record that the receiver cannot take stops nothing behind it, however much that is`()
        }
    }

    @Test func `a stop in the middle of a delivery leaves it to the next start`() async throws {
        try await ApacheKafka.use {
            try await DeliveryTests().`a stop in the middle of a delivery leaves it to the next start`()
        }
    }
}
