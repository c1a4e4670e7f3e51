import CommandLine
import Configuration
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

@Suite(.timeLimit(.minutes(5)))
struct ConsumerApplicationTests {
    @Test func `an executable with a handler and a name starts, reads, reports and stops`() async throws {
        let directory = try TemporaryDirectory()
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
                [
                    "--kafka.bootstrap.servers", servers, "--profile", "single-node", "--admin.port", "0",
                    "--data.dir", directory.path,
                ],
                environment: [:])
        else {
            Issue.record("the command line was refused")
            return
        }
        let log = MemoryLogSink()
        let logger = Logger(label: "test", level: .debug, format: .json, sink: log)
        let metrics = MetricsRegistry()
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        let admin = application.admin(invocation.configuration, logger: logger, metrics: metrics)
        async let exitCode = runServices(
            logger: logger, maximumShutdown: .seconds(20), triggers: triggers, first: [admin]
        ) {
            try await application.services(invocation.configuration, admin: admin, logger: logger, metrics: metrics)
        }
        try await waitUntil { handler.finished.count == 3 }
        trigger.yield("test")
        #expect(await exitCode == .ok)
        #expect(log.lines.contains { $0.contains("partitions assigned") })
    }

    @Test func `the control topic and the dead letter topics are required, like the input topics`() throws {
        let application = ConsumerApplication(
            name: "sluice-test", summary: "Test.", adminPort: 0, topics: ["test.input"], control: "test.control"
        ) { .records(RecordingHandler()) }
        guard
            case .run(let invocation) = application.command.parse(
                ["--kafka.bootstrap.servers", "127.0.0.1:9092"], environment: [:])
        else {
            Issue.record("the command line was refused")
            return
        }
        let required = try application.requiredTopics(invocation.configuration).map(\.topic)
        #expect(required == ["test.input", "test.control", "test.input.sluice-test.dlq"])
    }

    @Test func `the prefix of topic names is named in errors only if the consumer has this setting`() {
        let prefix = Setting.string("topics.prefix", default: "test", help: "Prefix of every topic name.")
        func application(_ settings: [any AnySetting]) -> ConsumerApplication {
            ConsumerApplication(
                name: "sluice-test", summary: "Test.", adminPort: 0, schema: ConfigurationSchema(settings),
                topics: { _ in ConsumerTopics(input: []) }
            ) { _ in ConsumerParts(handler: .records(RecordingHandler())) }
        }
        #expect(application([prefix]).topicsSetting == "topics.prefix")
        #expect(application([]).topicsSetting == nil)
    }

    @Test func `the admin listener responds during startup and reports that the consumer is not ready`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let options = try await PipelineTestBroker.options()
        let (isBuilding, mayGoOn) = (Gate(), Gate())
        let topics = options.topics
        let setting = Setting.integer("test.number", default: 3, in: 1...9, help: "A setting of its own.")
        let application = ConsumerApplication(
            name: options.group.rawValue, summary: "Test.", adminPort: 0, schema: ConfigurationSchema([setting]),
            topics: { _ in ConsumerTopics(input: topics.map(KafkaTopicExpectation.init(topic:))) }
        ) { context in
            #expect(context.configuration[setting] == 5)
            #expect(context.kafka.readerGroup == context.group.rawValue)
            isBuilding.open()
            await mayGoOn.pass()
            return ConsumerParts(handler: .records(RecordingHandler()), options: context.options)
        }
        let servers = try PipelineTestBroker.shared().bootstrapServers
        guard
            case .run(let invocation) = application.command.parse(
                [
                    "--kafka.bootstrap.servers", servers, "--profile", "single-node", "--admin.port", "0",
                    "--data.dir", directory.path, "--test.number", "5",
                ], environment: [:])
        else {
            Issue.record("the command line was refused")
            return
        }
        let log = MemoryLogSink()
        let logger = Logger(label: "test", level: .debug, format: .json, sink: log)
        let metrics = MetricsRegistry()
        let (triggers, trigger) = AsyncStream.makeStream(of: String.self)
        let admin = application.admin(invocation.configuration, logger: logger, metrics: metrics)
        async let exitCode = runServices(
            logger: logger, maximumShutdown: .seconds(20), triggers: triggers, first: [admin]
        ) {
            try await application.services(invocation.configuration, admin: admin, logger: logger, metrics: metrics)
        }
        await isBuilding.pass()
        let port = try #require(
            log.lines.first { $0.contains("admin listener ready") }.flatMap { line in
                line.firstMatch(of: /"port":(\d+)/).flatMap { UInt16($0.1) }
            })
        func get(_ path: String) throws -> TestConnection.Response {
            let connection = try TestConnection(port: port)
            connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return try connection.response()
        }
        #expect(try get("/livez").status == 200)
        let starting = try get("/readyz")
        #expect(starting.status == 503)
        #expect(starting.text == "start: the process is starting; see runbooks/process-down.md\n")
        mayGoOn.open()
        try await waitUntil { try get("/readyz").status == 200 }
        trigger.yield("test")
        #expect(await exitCode == .ok)
    }
}
