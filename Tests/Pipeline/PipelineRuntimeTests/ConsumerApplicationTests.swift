import Configuration
import Kafka
import KafkaDevBroker
import Lifecycle
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

@Suite(.timeLimit(.minutes(5)))
struct ConsumerApplicationTests {
    @Test func `a handler and a name are an executable that starts, reads, tells and stops`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: options.topics[0])
        let handler = RecordingHandler()
        let topics = options.topics
        let application = ConsumerApplication(
            name: options.group.rawValue, summary: "Test.", adminPort: 0, topics: topics
        ) { .records(handler) }
        let servers = try PipelineTestBroker.shared().bootstrapServers
        guard
            case .run(let invocation) = application.command.parse(
                ["--kafka.bootstrap.servers", servers, "--profile", "single-node", "--admin.port", "0"],
                environment: [:])
        else {
            Issue.record("the command line was refused")
            return
        }
        let log = MemoryLogSink()
        let logger = Logger(label: "test", level: .debug, format: .json, sink: log)
        let metrics = MetricsRegistry()
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        async let exitCode = runServices(logger: logger, maximumShutdown: .seconds(20), triggers: triggers) {
            try await application.services(invocation.configuration, logger: logger, metrics: metrics)
        }
        try await waitUntil { handler.finished.count == 3 }
        trigger.yield("test")
        #expect(await exitCode == .ok)
        #expect(log.lines.contains { $0.contains("partitions assigned") })
    }
}
