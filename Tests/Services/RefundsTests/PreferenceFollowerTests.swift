import Kafka
import KafkaTestSupport
import PipelineTestSupport
import Records
import RefundRules
import Telemetry
import TestSupport
import Testing

@testable import Refunds

/// The follower of the preferences topic after failures to read it.
@Suite(.timeLimit(.minutes(5))) struct PreferenceFollowerTests {
    @Test func `a preference that cannot be read from Kafka makes all preferences unknown`() async throws {
        let installation = try await RefundsInstallation()
        let proxy = try KafkaProxy(to: installation.kafka.bootstrapServers) {
            BatchDamage.flippedBit.apply(to: $0, marker: "damaged")
        }
        defer { proxy.close() }
        let follower = PreferenceFollower(
            kafka: try KafkaConfiguration(bootstrapServers: proxy.bootstrapServers, profile: .embedded),
            topic: installation.topics.refundPreferences, path: installation.directory.file("preferences.sqlite"),
            metrics: MetricsRegistry(),
            logger: Logger(label: "test", level: .info, format: .json, sink: MemoryLogSink()), pause: .milliseconds(20))
        try await follower.start()
        #expect(try follower.preference(of: ["customer"]) == nil)
        let running = RunHarness { try await follower.run() }
        let uncompressed = try KafkaConfiguration(
            bootstrapServers: installation.kafka.bootstrapServers, properties: ["compression.codec": "none"],
            profile: .embedded)
        try await uncompressed.write([
            installation.record(preference: #"{"consent":false,"damaged":true}"#, of: "customer")
        ])
        try await waitUntil { follower.obstacle != nil }
        #expect(throws: UnreadablePreference.self) { try follower.preference(of: ["customer"]) }
        await follower.stop(within: .seconds(5))
        running.end()
        await installation.stop()
    }
}
