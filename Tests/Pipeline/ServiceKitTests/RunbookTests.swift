import Foundation
import TestSupport
import Testing

@testable import ServiceKit

/// The runbooks to which the lines of `/readyz` refer.
@Suite struct RunbookTests {
    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy").standardized

    @Test(arguments: Runbook.allCases)
    func `a runbook exists`(_ runbook: Runbook) {
        let path = Self.deploy.appending(path: runbook.rawValue).path
        #expect(FileManager.default.fileExists(atPath: path), "\(path)")
    }

    @Test func `the line of a failing check ends with its runbook`() {
        let failing = HealthCheck("clock", .clock) { "the wall clock is wrong" }
        #expect(failing.failure == "clock: the wall clock is wrong; see runbooks/clock.md\n")
        #expect(HealthCheck("clock", .clock) { nil }.failure == nil)
        #expect(HealthCheck("own") { "no license" }.failure == "own: no license\n")
        let own = HealthCheck("own", runbook: "https://wiki.example/own") { "no license" }
        #expect(own.failure == "own: no license; see https://wiki.example/own\n")
    }
}
