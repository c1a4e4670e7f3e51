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

    /// Writes the rules of one group to a separate file. A test only names alerts of its own group, and promtool
    /// evaluates every rule of a file for each minute of the series.
    private static func rules(of group: String) throws -> String {
        let rules = try String(contentsOf: deploy.appending(path: "alerts.yml"), encoding: .utf8)
        let starts = rules.ranges(of: #/(?m)^  - name: sluice-/#).map(\.lowerBound)
        let start = try #require(starts.first { rules[$0...].hasPrefix("  - name: sluice-\(group)\n") })
        let end = starts.first { $0 > start } ?? rules.endIndex
        return "groups:\n" + rules[start..<end]
    }

    @Test(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"), arguments: groups)
    func `each alert fires exactly for the series of its tests`(
        group: (name: String, alerts: [String])
    ) async throws {
        let directory = try TemporaryDirectory()
        _ = try directory.write(try Self.rules(of: group.name), to: "rules.yml")
        let series = try String(contentsOf: Self.file(of: group.name), encoding: .utf8)
        let tested = Set(series.matches(of: #/alertname: ([A-Za-z0-9]+)/#).map { String($0.1) })
        #expect(tested == Set(group.alerts), "\(group.name).yml tests alerts of another group, or not all of its own")
        try #require(series.contains("\nrule_files: [../alerts.yml]\n"))
        let file = try directory.write(
            series.replacing("\nrule_files: [../alerts.yml]\n", with: "\nrule_files: [rules.yml]\n"), to: "series.yml")
        #expect(try await Promtool.failures(ofRuleTests: file) == "")
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
