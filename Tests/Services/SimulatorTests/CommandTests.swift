import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite struct `Commands` {
    @Test func `the list of scenarios names each with its summary`() {
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
                Grace ends, Apple goes on trying for 60 days, and the subscription ends.
                  at first                              SUBSCRIBED / INITIAL_BUY
                  when the period ends                  DID_FAIL_TO_RENEW / GRACE_PERIOD
                  when the grace period ends            GRACE_PERIOD_EXPIRED
                  when Apple stops charging, on day 60  EXPIRED / BILLING_RETRY
                """)
    }

    @Test func `the list for programs is JSON`() throws {
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

    @Test func `a report holds one line per attempt`() throws {
        let directory = try TemporaryDirectory()
        let report = try ReportFile(path: directory.file("report"))
        for number in 0..<20_000 { report.append("{\"number\":\(number)}") }
        try report.close()
        let lines = try String(contentsOfFile: directory.file("report"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 20_000 && lines.last == "{\"number\":19999}")
        #expect(throws: SimulatorError.self) { try ReportFile(path: "/nowhere/report") }
    }
}
