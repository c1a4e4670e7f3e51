import Configuration
import EntitlementRules
import Foundation
import HTTPClient
import Lifecycle
import PipelineRuntime
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

@Suite(.timeLimit(.minutes(1))) struct StartTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ path: String) throws -> EntitlementsFile.Opened {
        try EntitlementsFile.open(configuration(["--data.dir", path]))
    }

    @Test func `the directory is made where there is none`() throws {
        let opened = try open(directory.path + "/a/b")
        #expect(FileManager.default.fileExists(atPath: directory.path + "/a/b/entitlements.sqlite"))
        opened.store.close()
    }

    @Test func `a directory that cannot be made names data.dir`() throws {
        let file = try directory.write("", to: "file")
        let error = #expect(throws: StartupError.self) { _ = try open(file + "/data") }
        #expect(error?.setting == "data.dir")
        #expect(error?.exitCode == .configuration)
    }

    @Test func `a database that cannot be opened names data.dir`() throws {
        try FileManager.default.createDirectory(atPath: directory.database, withIntermediateDirectories: true)
        let error = #expect(throws: StartupError.self) { _ = try open(directory.path) }
        #expect(error?.setting == "data.dir")
        #expect(error?.line.contains("entitlements.sqlite") == true)
    }

    @Test func `a database of another process names data.dir and the other process`() throws {
        let opened = try open(directory.path)
        let error = #expect(throws: StartupError.self) { _ = try open(directory.path) }
        #expect(error?.setting == "data.dir")
        #expect(error?.line.contains("Stop the other process") == true)
        opened.store.close()
    }

    @Test func `a damaged database says how it is built anew`() throws {
        _ = try directory.write(String(repeating: "no database ", count: 1000), to: "entitlements.sqlite")
        let error = #expect(throws: StartupError.self) { _ = try open(directory.path) }
        #expect(error?.line.contains("built anew from Kafka") == true)
    }

    private func service(_ opened: EntitlementsFile.Opened, host: String = "127.0.0.1", port: Int)
        -> EntitlementsService
    {
        let logger = Logger(label: "test", level: .info, format: .json, sink: MemoryLogSink())
        return EntitlementsService(
            store: opened.store,
            api: ReadAPI(
                reader: opened.reader, rules: ProductRules(), clocks: .system,
                metrics: EntitlementsMetrics(MetricsRegistry()), log: RateLimitedLogger(logger, perSecond: 1)),
            host: host, port: port, logger: logger)
    }

    @Test func `a busy port names http.port, and the database is given back`() async throws {
        let first = service(try open(directory.path + "/1"), port: 0)
        try await first.start()
        let second = service(try open(directory.path + "/2"), port: Int(first.port))
        let error = await #expect(throws: StartupError.self) { try await second.start() }
        #expect(error?.setting == "http.port")
        #expect(error?.line.contains("\(first.port)") == true)
        try open(directory.path + "/2").store.close()
        await first.stop(within: .seconds(2))
        try open(directory.path + "/1").store.close()
    }

    @Test func `an address of no machine names http.host`() async throws {
        let wrong = service(try open(directory.path), host: "300.1.2.3", port: 0)
        let error = await #expect(throws: StartupError.self) { try await wrong.start() }
        #expect(error?.setting == "http.host")
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
            "admin.port", "9465", "kafka.group.id", "sluice-entitlements", "SLUICE_HTTP_PORT", "SLUICE_DATA_DIR",
            "/v1/entitlements?appAccountToken=UUID", "66 records were deleted",
        ] {
            #expect(help.contains(text), "\(text)")
        }
    }

    @Test func `flags stand over variables`() throws {
        let environment = ["SLUICE_HTTP_PORT": "1", "SLUICE_TOPICS_PREFIX": "a"]
        let effective = try configuration(["--http.port", "2"], environment: environment)
        #expect(effective[EntitlementsSettings.port] == 2)
        #expect(effective[EntitlementsSettings.topicsPrefix] == "a")
    }

    @Test(arguments: [["--http.port", "65536"], ["--http.prot", "1"], ["--data.dir", ""]])
    func `a wrong setting is refused`(arguments: [String]) {
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
