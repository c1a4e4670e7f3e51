import CommandLine
import Configuration
import EntitlementRules
import Foundation
import Kafka
import KeyedState
import Lifecycle
import PipelineRuntime
import Records
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

@Suite(.timeLimit(.minutes(5))) struct StartTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ directory: String) throws -> String {
        try StateOptions(
            file: "entitlements.sqlite", in: configuration(["--data.dir", directory]), topics: [:]
        ).path
    }

    @Test func `a missing directory is created`() throws {
        #expect(try path(directory.path + "/a/b") == directory.path + "/a/b/entitlements.sqlite")
        #expect(FileManager.default.fileExists(atPath: directory.path + "/a/b"))
    }

    @Test func `the error for a directory that cannot be created names data.dir`() throws {
        let file = try directory.write("", to: "file")
        let error = #expect(throws: StartupError.self) { _ = try path(file + "/data") }
        #expect(error?.setting == "data.dir")
        #expect(error?.exitCode == .configuration)
    }

    /// Returns a service without reachable brokers, which suffices to start its listener.
    private func service(host: String = "127.0.0.1", port: Int) throws -> (EntitlementsService, () async -> Void) {
        let logger = Logger(label: "test", level: .info, format: .json, sink: MemoryLogSink())
        let model = EntitlementsModel(rules: ProductRules(), topics: TopicNames())
        let path = directory.file("state-\(port)-\(host)")
        let metrics = MetricsRegistry()
        let state = try KeyedState(
            .init(path: path, topics: [:]), model: model,
            kafka: KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: .embedded), logger: logger,
            metrics: metrics)
        let service = try EntitlementsService(
            state: state, rules: ProductRules(), input: InputFreshness(topics: TopicNames(), limit: 0),
            topics: TopicNames(), metrics: EntitlementsMetrics(metrics),
            access: AccessLog(.changes, logger: logger, metrics: metrics), verifier: nil,
            configuration: try configuration([
                "--http.host", host, "--http.port", "\(port)", "--http.keys.file",
                try directory.write("a read \(String(repeating: "r", count: 24))\n", to: "keys"),
            ]), logger: logger)
        return (
            service,
            {
                await service.stop(within: .seconds(2))
                await state.stop(within: .seconds(2))
            }
        )
    }

    @Test func `the error for a port in use names http.port`() async throws {
        let (first, stop) = try service(port: 0)
        try await first.start()
        let (second, stopSecond) = try service(port: Int(first.port))
        let error = await #expect(throws: StartupError.self) { try await second.start() }
        #expect(error?.setting == "http.port")
        #expect(error?.line.contains("\(first.port)") == true)
        await stop()
        await stopSecond()
    }

    @Test func `the error for an invalid address names http.host`() async throws {
        let (wrong, stop) = try service(host: "300.1.2.3", port: 0)
        let error = await #expect(throws: StartupError.self) { try await wrong.start() }
        #expect(error?.setting == "http.host")
        await stop()
    }

    @Test func `help names every setting with its variable and default`() throws {
        guard
            case .show(let help) = EntitlementsApplication.application.command.parse(["--help"], environment: [:])
        else {
            Issue.record("no help")
            return
        }
        for text in [
            "http.host", "127.0.0.1", "http.port", "8081", "data.dir", "./data", "products", "topics.prefix",
            "appstore",
            "admin.port", "9465", "entitlements.group.id", "sluice-entitlements", "SLUICE_HTTP_PORT", "SLUICE_DATA_DIR",
            "/v1/entitlements?appAccountToken=UUID", "entitlements.changes", "entitlements.group.instance.id",
            "66 records were deleted",
        ] {
            #expect(help.contains(text), "\(text)")
        }
    }

    @Test func `flags override variables`() throws {
        let environment = ["SLUICE_HTTP_PORT": "1", "SLUICE_TOPICS_PREFIX": "a"]
        let effective = try configuration(["--http.port", "2"], environment: environment)
        #expect(effective[EntitlementsSettings.port] == 2)
        #expect(effective[EntitlementsSettings.topicsPrefix] == "a")
    }

    @Test(arguments: [["--http.port", "65536"], ["--http.prot", "1"], ["--data.dir", ""]])
    func `an invalid setting is rejected`(arguments: [String]) {
        guard
            case .refuse(_, let exitCode) = EntitlementsApplication.application.command.parse(
                arguments, environment: [:])
        else {
            Issue.record("accepted")
            return
        }
        #expect(exitCode == 78 || exitCode == 64)
    }
}
