import Foundation

/// `promtool check metrics` and `promtool test rules`, from Prometheus.
package enum Promtool {
    /// The reason to skip tests that need promtool.
    package static let absence = "promtool is not on PATH"

    package static var isInstalled: Bool { Program.path(of: "promtool") != nil }

    /// Returns promtool's complaints about metrics in Prometheus' text format; empty if there are none.
    package static func complaints(about metrics: [UInt8]) async throws -> String {
        let directory = try TemporaryDirectory()
        let file = try directory.write(metrics, to: "metrics.txt")
        let (end, process) = try await ChildProcess.run(
            "promtool", ["/bin/sh", "-c", #"promtool check metrics <"$1""#, "sh", file], directory: directory.path,
            within: .seconds(30))
        return process.output + process.errors + (end == .exit(0) ? "" : "promtool ended with \(end)")
    }

    /// Returns the failures that `promtool test rules` reports for test files; empty if each alert fires exactly when
    /// expected.
    ///
    /// - Parameter files: the paths of files in promtool's format. Their rule files are relative to them.
    package static func failures(ofRuleTests files: [String]) async throws -> String {
        let directory = try TemporaryDirectory()
        let (end, process) = try await ChildProcess.run(
            "promtool", ["/bin/sh", "-c", #"promtool test rules "$@""#, "sh"] + files, directory: directory.path,
            within: .seconds(60))
        return end == .exit(0) ? "" : process.output + process.errors + "promtool ended with \(end)"
    }
}
