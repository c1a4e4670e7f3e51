import CommandLine
import Configuration
import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite struct `Commands` {
    @Test func `the list of scenarios shows each with its summary`() {
        let lines = ScenariosCommand.table().split(separator: "\n")
        #expect(lines.count == Scenario.all.count)
        for (line, scenario) in zip(lines, Scenario.all) {
            #expect(line.hasPrefix(scenario.name + " ") && line.hasSuffix(" " + scenario.summary))
        }
    }

    @Test func `one scenario is shown step by step`() throws {
        let scenario = try #require(Scenario.named("billing-grace-exhausted"))
        #expect(
            ScenariosCommand.steps(scenario) == """
                The grace period ends, Apple retries for 60 days, and the subscription ends.
                  at first                              SUBSCRIBED / INITIAL_BUY
                  when the period ends                  DID_FAIL_TO_RENEW / GRACE_PERIOD
                  when the grace period ends            GRACE_PERIOD_EXPIRED
                  when Apple stops charging, on day 60  EXPIRED / BILLING_RETRY
                """)
    }

    @Test func `the list for scripts is JSON`() throws {
        let json = ScenariosCommand.json(Scenario.all)
        let list = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(list.compactMap { $0["name"] as? String } == Scenario.all.map(\.name))
        #expect(list.allSatisfy { ($0["steps"] as? [Any])?.isEmpty == false })
    }

    @Test func `an existing set of certificates is kept`() throws {
        let parent = try TemporaryDirectory()
        let directory = parent.file("pki")
        let leaf = URL(filePath: directory + "/leaf.pem")
        #expect(try PKICommand(directory: directory).make())
        let first = try Data(contentsOf: leaf)
        #expect(try !PKICommand(directory: directory).make())
        #expect(try Data(contentsOf: leaf) == first)
        _ = try PKICommand.load(directory)
        #expect(throws: SimulatorError.self) { try PKICommand.load(directory + "/none") }
    }

    @Test func `certificates come with an API key, which is kept and readable by its owner only`() throws {
        let parent = try TemporaryDirectory()
        let directory = parent.file("pki")
        _ = try PKICommand(directory: directory).make()
        let path = directory + "/api.key.p8"
        let key = try #require(FileManager.default.contents(atPath: path))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
        _ = try PKICommand(directory: directory).make()
        #expect(FileManager.default.contents(atPath: path) == key)
        let credentials = try SimulatedAPIKey.credentials(in: directory)
        #expect(
            credentials.publicKey.uncompressedPoint == (try PrivateKey(contentsOf: path).publicKey?.uncompressedPoint))
        // Certificates of earlier versions had no key.
        try FileManager.default.removeItem(atPath: path)
        _ = try PKICommand(directory: directory).make()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        ("none", ServerAPILimits.unlimited), ("apple", .apple), ("1", .perSecond(1)),
        ("1000000", .perSecond(1_000_000)),
    ])
    func `API limits are parsed`(text: String, limits: ServerAPILimits) {
        let outcome = SimulatorCommand.command.parse(["serve", "--api-limit", text], environment: [:])
        guard case .run(let invocation) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(invocation.configuration[ServerAPISettings.limit] == limits)
    }

    @Test(arguments: [
        ["--api-limit", "0"], ["--api-limit", "many"], ["--api-faults", "fire=1%"], ["--api-faults", "429=101%"],
        ["--api-port", "65536"], ["--url", "ftp://example.com"],
    ])
    func `invalid API settings are refused`(arguments: [String]) {
        let outcome = SimulatorCommand.command.parse(["serve"] + arguments, environment: [:])
        if case .run = outcome { Issue.record("\(arguments) was accepted") }
    }

    @Test func `faults and the port are optional, and post serves no API without a port`() {
        let outcome = SimulatorCommand.command.parse(["post", "--url", "http://127.0.0.1:1/"], environment: [:])
        guard case .run(let invocation) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(invocation.configuration[ServerAPISettings.port] == nil)
        #expect(invocation.configuration[ServerAPISettings.faults] == ServerAPIFaults.none)
    }

    @Test func `the undelivered share is within the history's reach, and the same in every command`() throws {
        func lost(_ arguments: [String]) throws -> [PlannedPost] {
            let outcome = SimulatorCommand.command.parse(
                arguments + ["--notifications", "1000", "--undelivered", "2.5%", "--as-of", "2026-11-01T00:00:00Z"],
                environment: [:])
            guard case .run(let invocation) = outcome else {
                Issue.record("\(outcome)")
                return []
            }
            let series = try ScenarioSeries(invocation.configuration)
            let lost = PostingPlan(series, invocation.configuration).filter(\.isUndelivered)
            let oldest = series.end - Duration.days(180).milliseconds
            for post in lost {
                let notification = try #require(series.notification(of: post.run, step: post.step))
                #expect(notification.signedDate > oldest)
            }
            return lost
        }
        let posted = try lost(["post", "--url", "http://127.0.0.1:1/"])
        #expect(posted.count == 25)
        let served = try lost(["serve"])
        #expect(served == posted)
    }

    @Test func `a report contains one line per attempt`() throws {
        let directory = try TemporaryDirectory()
        let report = try ReportFile(path: directory.file("report"))
        for number in 0..<20_000 { report.append("{\"number\":\(number)}") }
        try report.close()
        let lines = try String(contentsOfFile: directory.file("report"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 20_000 && lines.last == "{\"number\":19999}")
        #expect(throws: SimulatorError.self) { try ReportFile(path: "/nowhere/report") }
    }
}
