import CommandLine
import Configuration
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

/// A consumer as an executable whose group is paused and resumed in a separate control topic.
private struct PausableConsumer {
    let options: PipelineOptions
    let control: KafkaTopic
    private let directory: TemporaryDirectory

    init() async throws {
        options = try await PipelineTestBroker.options()
        control = KafkaTopic(rawValue: "\(options.topics[0]).control")
        try PipelineTestBroker.shared().createTopic(control, partitions: 1)
        directory = try TemporaryDirectory()
    }

    func write(_ state: ControlRecord.State, group: KafkaConsumerGroup? = nil) async throws {
        let record = try #require(
            ControlRecord(state: state, reason: "new schema", author: "ann", atMilliseconds: 1_795_770_000_000))
        try await write([record.produced(to: control, for: group ?? options.group)])
    }

    func write(_ records: [KafkaProducerRecord]) async throws {
        try await PipelineTestBroker.configuration().write(records)
    }

    func start(_ handler: RecordingHandler) async throws -> RunningServices {
        let application = ConsumerApplication(
            name: options.group.rawValue, summary: "Test.", adminPort: 0, topics: options.topics, control: control
        ) { .records(handler) }
        let arguments = [
            "--kafka.bootstrap.servers", try PipelineTestBroker.shared().bootstrapServers, "--profile", "single-node",
            "--admin.port", "0", "--data.dir", directory.path,
        ]
        guard case .run(let invocation) = application.command.parse(arguments, environment: [:]) else {
            throw KafkaError(.invalidConfiguration, "the command line was refused")
        }
        return try await RunningServices { logger, metrics in
            try await application.services(invocation.configuration, logger: logger, metrics: metrics)
        }
    }
}

extension RunningServices {
    /// Returns the answer of `/readyz`.
    fileprivate func readiness() throws -> TestConnection.Response {
        let port = try #require(
            log.lines.first { $0.contains("admin listener ready") }.flatMap { line in
                line.firstMatch(of: /"port":(\d+)/).flatMap { UInt16($0.1) }
            })
        let connection = try TestConnection(port: port)
        connection.send("GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return try connection.response()
    }
}

@Suite(.timeLimit(.minutes(5)))
struct ControlReaderTests {
    @Test func `a group that was paused before its first start handles nothing until it is resumed`() async throws {
        let consumer = try await PausableConsumer()
        try await PipelineTestBroker.write(numbers: 30, keys: 3, to: consumer.options.topics[0])
        try await consumer.write(.paused)
        let handler = RecordingHandler()
        let running = try await consumer.start(handler)
        try await waitUntil { running.metric("sluice_consumer_lag_records") == 30 }
        // The alert for lag depends on the age of the next record.
        try await waitUntil { running.metric("sluice_consumer_lag_seconds") > 0.2 }
        try await waitUntil { try running.readiness().status == 200 }
        #expect(handler.finished.isEmpty)
        #expect(
            try running.readiness().text == """
                ready
                paused: group \(consumer.options.group) paused by ann since 2026-11-27T09:00:00.000Z: new schema

                """)
        #expect(running.metric("sluice_consumer_control_reading") == 1)
        let line = try #require(running.log.lines.first { $0.contains("group paused") })
        for part in [#""level":"warning""#, #""author":"ann""#, #""reason":"new schema""#, "\(consumer.options.group)"]
        {
            #expect(line.contains(part), "\(part)")
        }

        try await consumer.write(.running)
        try await waitUntil { handler.finished.count == 30 }
        #expect(try running.readiness().text == "ready\n")
        // The group is resumed before that is logged.
        try await waitUntil { running.log.lines.contains { $0.contains("group resumed") } }
        #expect(await running.stop() == .ok)
        #expect(handler.finished.compactMap(\.number).sorted() == Array(0..<30))
    }

    @Test func `a pause survives a restart, and the group continues at the same offset`() async throws {
        let consumer = try await PausableConsumer()
        let topic = consumer.options.topics[0]
        try await PipelineTestBroker.write(numbers: 10, keys: 2, to: topic)
        let first = RecordingHandler()
        let running = try await consumer.start(first)
        try await waitUntil { first.finished.count == 10 }
        try await consumer.write(.paused)
        try await waitUntil { running.metric("sluice_consumer_paused{") == 1 }
        try await PipelineTestBroker.write(numbers: 5, keys: 1, to: topic)
        try await waitUntil { running.metric("sluice_consumer_lag_records") == 5 }
        #expect(await running.stop() == .ok)
        #expect(first.finished.count == 10)

        let second = RecordingHandler()
        let again = try await consumer.start(second)
        try await waitUntil { again.metric("sluice_consumer_lag_records") == 5 }
        #expect(again.metric("sluice_consumer_paused{") == 1 && second.finished.isEmpty)
        // A tombstone also resumes the group.
        try await consumer.write([
            KafkaProducerRecord(
                topic: consumer.control, key: Array(consumer.options.group.rawValue.utf8), value: nil)
        ])
        try await waitUntil { second.finished.count == 5 }
        #expect(await again.stop() == .ok)
        #expect(second.finished.map(\.offset.rawValue) == [10, 11, 12, 13, 14])
    }

    @Test func `the pause of another group has no effect`() async throws {
        let consumer = try await PausableConsumer()
        try await consumer.write(.paused, group: "another")
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: consumer.options.topics[0])
        let handler = RecordingHandler()
        let running = try await consumer.start(handler)
        try await waitUntil { handler.finished.count == 3 }
        #expect(try running.readiness().text == "ready\n")
        #expect(await running.stop() == .ok)
    }

    @Test func `damaged records are ignored, counted and reported`() async throws {
        let consumer = try await PausableConsumer()
        try await consumer.write(.paused)
        let key = Array(consumer.options.group.rawValue.utf8)
        let damaged: [([UInt8]?, [UInt8]?)] = [
            (key, [0xFF, 0x00]), (key, Array(#"{"version":2,"state":"running"}"#.utf8)), (nil, Array("{}".utf8)),
            ([0xC3, 0x28], nil),
        ]
        try await consumer.write(
            damaged.map { KafkaProducerRecord(topic: consumer.control, key: $0.0, value: $0.1) })
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: consumer.options.topics[0])
        let handler = RecordingHandler()
        let running = try await consumer.start(handler)
        try await waitUntil { running.metric("sluice_consumer_lag_records") == 3 }
        #expect(running.metric("sluice_consumer_control_ignored_total") == 4)
        #expect(running.metric("sluice_consumer_paused{") == 1 && handler.finished.isEmpty)
        let lines = running.log.lines.filter { $0.contains("malformed record in the control topic") }
        #expect(lines.count == 4 && lines.allSatisfy { $0.contains(#""offset""#) })

        try await consumer.write([KafkaProducerRecord(topic: consumer.control, key: key, value: [0x7B])])
        try await consumer.write(.running)
        try await waitUntil { handler.finished.count == 3 }
        #expect(running.metric("sluice_consumer_control_ignored_total") == 5)
        #expect(await running.stop() == .ok)
    }
}
