import AppStoreModel
import Kafka
import Lifecycle
import NotificationRecord
import Telemetry
import TestSupport
import Testing

@testable import Entitlements
@testable import PipelineRuntime

@Suite(.timeLimit(.minutes(1))) struct RebuildCheckTests {
    private func context(_ installation: Installation, _ directory: TemporaryDirectory) throws -> ConsumerContext {
        ConsumerContext(
            configuration: try installation.configuration(data: directory.path), kafka: try installation.kafka(),
            group: KafkaConsumerGroup(rawValue: installation.group),
            logger: Logger(label: "test", level: .info, format: .json, sink: MemoryLogSink()),
            metrics: MetricsRegistry())
    }

    @Test func `a group that has read nothing completes a new database`() async throws {
        let installation = try Installation("fresh")
        let directory = try TemporaryDirectory()
        let store = try EntitlementsStore(path: directory.database)
        // Records that nobody has read are no obstacle.
        try await installation.write([lifeOfOne()[0].produced(in: installation.notifications(.production))])
        try await RebuildCheck.run(context(installation, directory), store, installation.topics)
        #expect(try store.isCompleteFromStart())
        await installation.broker.stop()
        // A file that is complete asks nobody.
        try await RebuildCheck.run(
            context(installation, directory), store, installation.topics, within: .milliseconds(1))
    }

    @Test func `brokers that do not answer leave the question open`() async throws {
        let installation = try Installation("silent")
        let directory = try TemporaryDirectory()
        let store = try EntitlementsStore(path: directory.database)
        try installation.broker.setDown()
        let error = await #expect(throws: StartupError.self) {
            try await RebuildCheck.run(
                context(installation, directory), store, installation.topics, within: .milliseconds(700))
        }
        #expect(error?.setting == "kafka.bootstrap.servers")
        #expect(error?.exitCode == .failure)
        #expect(try !store.isCompleteFromStart())
        try installation.broker.setUp()
        try await RebuildCheck.run(context(installation, directory), store, installation.topics)
        #expect(try store.isCompleteFromStart())
        await installation.broker.stop()
    }

    @Test func `a group that may not be read leaves the question open`() async throws {
        let installation = try Installation("forbidden")
        let directory = try TemporaryDirectory()
        let store = try EntitlementsStore(path: directory.database)
        try installation.broker.failNext(
            .offsetFetch, with: [KafkaError.Code(rawValue: 30)])  // GROUP_AUTHORIZATION_FAILED
        let error = await #expect(throws: StartupError.self) {
            try await RebuildCheck.run(
                context(installation, directory), store, installation.topics, within: .seconds(5))
        }
        #expect(error?.line.contains("do not say whether group") == true)
        #expect(try !store.isCompleteFromStart())
        await installation.broker.stop()
    }
}
