import Foundation
import Kafka
import KafkaDevBroker
import PipelineTestSupport
import TestSupport
import Testing

@testable import PipelineRuntime

/// Runs processes that crash in their handlers, with the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct CrashedHandlerTests {
    private let directory: TemporaryDirectory
    private let output: String

    init() throws {
        directory = try TemporaryDirectory()
        output = directory.file("handled")
    }

    private static var probe: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "pipeline-probe").path
    }

    private func start(_ options: PipelineOptions, _ flags: [String] = []) throws -> ChildProcess {
        let servers = try PipelineTestBroker.shared().bootstrapServers
        return try ChildProcess(
            "pipeline-probe",
            [
                Self.probe, "--probe.output", output, "--probe.topic", options.topics[0].rawValue,
                "--kafka.bootstrap.servers", servers,
                "--pipeline-probe.group.id", options.group.rawValue, "--profile", "single-node", "--admin.port", "0",
                "--data.dir", directory.path,
            ] + flags, environment: ["SWIFT_BACKTRACE": "enable=no"], directory: directory.path)
    }

    /// Returns the values that the last process finished.
    private var handled: [String] {
        let contents = FileManager.default.contents(atPath: output) ?? Data()
        return String(decoding: contents, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func write(_ values: [String], to options: PipelineOptions) async throws {
        try await PipelineTestBroker.configuration().write(
            values.map { KafkaProducerRecord(topic: options.topics[0], key: Array($0.utf8), value: Array($0.utf8)) })
    }

    /// After deep recursion, the crashing thread has no stack left to record the crash.
    @Test(arguments: [("trap", [SIGILL, SIGTRAP]), ("deep", [SIGSEGV, SIGBUS])])
    func `a record that crashes its handler is handled alone after three crashes, then dead-lettered`(
        value: String, signals: [Int32]
    ) async throws {
        let options = try await PipelineTestBroker.options()
        // A second record is being handled during every crash but does not cause it.
        try await write(["pause", value, "good"], to: options)
        for _ in 1...4 {
            let process = try start(options)
            let end = try await process.end(within: .seconds(60))
            #expect(signals.contains { end == .signal($0) }, "\(process)")
        }
        #expect(try await PipelineTestBroker.deadLetters(options).isEmpty)
        let process = try start(options)
        var letters: [KafkaRecord] = []
        try await waitUntil(within: .seconds(60)) {
            letters = try await PipelineTestBroker.deadLetters(options)
            return !letters.isEmpty
        }
        #expect(process.ended == nil)
        await process.stop()
        #expect(letters.map(\.value) == [Array(value.utf8)])
        #expect(!handled.contains(value))
        let reason = letters.first?.header("sluice.dlq.reason")?.value
        #expect(reason.map { String(decoding: $0, as: UTF8.self) } == "crashed-handler")
    }

    @Test func `a process killed from outside does not count as a crash`() async throws {
        let options = try await PipelineTestBroker.options()
        try await write(["wait", "good"], to: options)
        for _ in 1...4 {
            let process = try start(options)
            try await waitUntil(within: .seconds(60)) { handled.contains("good") }
            process.signal(SIGKILL)
            #expect(try await process.end(within: .seconds(20)) == .signal(SIGKILL))
            try FileManager.default.removeItem(atPath: output)
        }
        let file = try CallFile.open(name: options.group.rawValue, in: directory.path)
        #expect(file.suspicions.isEmpty)
    }

    /// The handler returns from `wait` when its task is cancelled, but never from `hang`.
    @Test(arguments: ["hang", "wait"])
    func `a handler that does not return ends the process with 75, and its record is dead-lettered after three exits`(
        value: String
    ) async throws {
        let options = try await PipelineTestBroker.options()
        try await write([value], to: options)
        let flags = ["--consumer.record.deadline", "1s", "--consumer.shutdown.limit", "2s"]
        for _ in 1...4 {
            let process = try start(options, flags)
            #expect(try await process.end(within: .seconds(60)) == .exit(75), "\(process)")
            #expect(process.errors.contains("consumer.record.deadline"))
        }
        let process = try start(options, flags)
        try await waitUntil(within: .seconds(60)) { try await !PipelineTestBroker.deadLetters(options).isEmpty }
        await process.stop()
    }
}
