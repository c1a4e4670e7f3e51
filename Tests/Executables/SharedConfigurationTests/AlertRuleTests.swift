import Foundation
import TestSupport
import Testing

/// Runs the series in `deploy/alerts-tests` with Prometheus' own rule tester. Each group in `deploy/alerts.yml` has one
/// file.
@Suite struct AlertRuleTests {
    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy").standardized

    /// The groups in `alerts.yml`, in order, with the names of their alerts.
    private static let groups: [(name: String, alerts: [String])] = {
        let rules = (try? String(contentsOf: deploy.appending(path: "alerts.yml"), encoding: .utf8)) ?? ""
        var groups: [(name: String, alerts: [String])] = []
        for line in rules.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/  - name: sluice-([a-z]+)/#) { groups.append((String(match.1), [])) }
            guard let match = line.wholeMatch(of: #/      - alert: ([A-Za-z0-9]+)/#), !groups.isEmpty else { continue }
            groups[groups.count - 1].alerts.append(String(match.1))
        }
        return groups
    }()

    private static func file(of group: String) -> URL { deploy.appending(path: "alerts-tests/\(group).yml") }

    /// Splits a text before each line that begins with one of the words.
    private static func parts(_ text: String, before words: String...) -> [String] {
        var parts = [""]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if words.contains(where: line.hasPrefix) { parts.append("") }
            parts[parts.count - 1] += line + "\n"
        }
        return parts
    }

    /// Returns a file with the rules of some alerts only.
    private static func rules(of alerts: Set<String>) throws -> String {
        let rules = try String(contentsOf: deploy.appending(path: "alerts.yml"), encoding: .utf8)
        let blocks = parts(rules, before: "      - alert: ", "  - name: ").filter { block in
            block.firstMatch(of: #/^      - alert: ([A-Za-z0-9]+)\n/#).map { alerts.contains(String($0.1)) } ?? false
        }
        try #require(blocks.count == alerts.count)
        return "groups:\n  - name: sluice\n    rules:\n" + blocks.joined()
    }

    /// Writes each test of a group to a separate file, with the rules of its own alerts. promtool evaluates every rule
    /// of a file for each minute of the series, so all rules together would need three times the processor time.
    ///
    /// - Returns: the paths of the test files.
    private static func split(_ series: String, into directory: TemporaryDirectory) throws -> [String] {
        let parts = parts(series, before: "  - name: ")
        try #require(parts[0].contains("\nrule_files: [../alerts.yml]\n"))
        return try parts.dropFirst().enumerated().map { number, test in
            let alerts = Set(test.matches(of: #/alertname: ([A-Za-z0-9]+)/#).map { String($0.1) })
            _ = try directory.write(try rules(of: alerts), to: "rules-\(number).yml")
            let head = parts[0].replacing("[../alerts.yml]", with: "[rules-\(number).yml]")
            return try directory.write(head + test, to: "series-\(number).yml")
        }
    }

    @Test(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"), arguments: groups)
    func `each alert fires exactly for the series of its tests`(
        group: (name: String, alerts: [String])
    ) async throws {
        let directory = try TemporaryDirectory()
        let series = try String(contentsOf: Self.file(of: group.name), encoding: .utf8)
        let tested = Set(series.matches(of: #/alertname: ([A-Za-z0-9]+)/#).map { String($0.1) })
        #expect(tested == Set(group.alerts), "\(group.name).yml tests alerts of another group, or not all of its own")
        #expect(try await Promtool.failures(ofRuleTests: try Self.split(series, into: directory)) == "")
    }

    @Test(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"))
    func `the rules are well formed and alert names are unique`() async throws {
        let directory = try TemporaryDirectory()
        let (end, process) = try await ChildProcess.run(
            "promtool",
            ["/bin/sh", "-c", #"promtool check rules --lint-fatal "$1""#, "sh", Self.deploy.path + "/alerts.yml"],
            directory: directory.path, within: .seconds(30))
        #expect(end == .exit(0), "\(process.output)\(process.errors)")
        let alerts = Self.groups.flatMap(\.alerts)
        #expect(Set(alerts).count == alerts.count)
    }

    @Test func `each alert is tested with series that make it fire and with series that do not`() throws {
        #expect(Self.groups.map(\.alerts.count).reduce(0, +) > 40)
        for group in Self.groups {
            let text = try String(contentsOf: Self.file(of: group.name), encoding: .utf8)
            let silent = text.matches(of: #/- \{alertname: ([A-Za-z0-9]+), eval_time: [0-9]+m, exp_alerts: \[\]\}\n/#)
            let firing = text.matches(
                of: #/- alertname: ([A-Za-z0-9]+)\n +eval_time: [0-9]+m\n +exp_alerts:\n +- exp_labels: \{severity: /#)
            #expect(Set(silent.map { String($0.1) }) == Set(group.alerts), "no silence in \(group.name).yml")
            #expect(Set(firing.map { String($0.1) }) == Set(group.alerts), "no alert in \(group.name).yml")
        }
    }

    @Test func `each group of alerts has a test file, and each test file has a group`() throws {
        let folder = Self.deploy.appending(path: "alerts-tests").path
        // Scripts in the same folder inject faults.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yml") }
        #expect(files.sorted() == Self.groups.map { "\($0.name).yml" }.sorted())
    }
}
