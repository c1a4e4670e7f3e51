import Foundation
import Kafka
import TestSupport
import Testing

/// Repeats the embedded broker's suite with Apache Kafka's rebalances, commits and fetches.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct PipelineOnApacheKafkaTests {
    /// Groups assigned by members and, if librdkafka supports them, groups assigned by brokers (KIP-848).
    enum GroupProtocol: String, CaseIterable {
        case classic, consumer

        static let known =
            "2.12".compare(librdkafkaVersion, options: .numeric) == .orderedDescending ? [classic] : allCases

        // librdkafka before 2.4 does not support the property.
        var properties: [String: String] { self == .classic ? [:] : ["group.protocol": rawValue] }
    }

    private let tests = PipelineConsumerTests()

    private func use(_ group: GroupProtocol, _ body: () async throws -> Void) async throws {
        try await ApacheKafka.use {
            try await PipelineTestBroker.$properties.withValue(group.properties) { try await body() }
        }
    }

    @Test(arguments: GroupProtocol.known)
    func `every record is handled once, in order for each key`(group: GroupProtocol) async throws {
        try await use(group) { try await tests.`every record is handled once, in order for each key`() }
    }

    @Test(arguments: GroupProtocol.known)
    func `a restart continues where the last member stopped`(group: GroupProtocol) async throws {
        try await use(group) { try await tests.`a restart continues where the last member stopped`() }
    }

    @Test(arguments: GroupProtocol.known)
    func `a poison record is dead-lettered and does not block`(group: GroupProtocol) async throws {
        try await use(group) { try await tests.`a poison record is dead-lettered and does not block`() }
    }

    @Test(arguments: GroupProtocol.known)
    func `the offset waits for the dead letter's acknowledgement`(group: GroupProtocol) async throws {
        try await use(group) { try await tests.`the offset waits for the dead letter's acknowledgement`() }
    }

    @Test(arguments: GroupProtocol.known)
    func `a second member gets partitions only after running records have finished`(group: GroupProtocol) async throws {
        try await use(group) {
            try await tests.`a second member gets partitions only after running records have finished`()
        }
    }
}
