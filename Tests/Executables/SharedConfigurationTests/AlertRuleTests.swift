import Foundation
import TestSupport
import Testing

/// Runs the series in `deploy/alerts-tests`, one file for each group in `deploy/alerts.yml`, with Prometheus' own rule
/// tester.
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

    @Test(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"), arguments: groups.map(\.name))
    func `each alert fires exactly for the series of its tests`(group: String) async throws {
        #expect(try await Promtool.failures(ofRuleTests: Self.file(of: group).path) == "")
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
        // Scripts in the same folder provoke faults.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yml") }
        #expect(files.sorted() == Self.groups.map { "\($0.name).yml" }.sorted())
    }
}
