import TestSupport
import Testing

/// What the suite of the embedded broker says, once more where rebalances, commits and fetches are Kafka's own.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct PipelineOnApacheKafkaTests {
    private let tests = PipelineConsumerTests()

    @Test func `every record is handled once, in order for each key`() async throws {
        try await ApacheKafka.use { try await tests.`every record is handled once, in order for each key`() }
    }

    @Test func `a restart goes on where the last member stopped`() async throws {
        try await ApacheKafka.use { try await tests.`a restart goes on where the last member stopped`() }
    }

    @Test func `poison becomes a dead letter and does not block`() async throws {
        try await ApacheKafka.use { try await tests.`poison becomes a dead letter and does not block`() }
    }

    @Test func `the offset waits for the dead letter's acknowledgement`() async throws {
        try await ApacheKafka.use { try await tests.`the offset waits for the dead letter's acknowledgement`() }
    }

    @Test func `a second member gets partitions only after running records have finished`() async throws {
        try await ApacheKafka.use {
            try await tests.`a second member gets partitions only after running records have finished`()
        }
    }
}
