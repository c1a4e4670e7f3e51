import Foundation
import TestSupport
import Testing

/// When the alerts about entitlements fire, by Prometheus' own tester.
@Suite(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"))
struct EntitlementsAlertsTests {
    private static let rules = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy/alerts.yml").standardized.path

    /// - Parameters:
    ///   - series: by name and labels; one value a minute.
    ///   - silentAt: minutes after which nothing is said.
    ///   - firesAt: minutes after which it fires.
    private func failures(
        _ alert: String, _ series: [(String, String)], silentAt: [Int], firesAt: [Int], labels: String,
        summary: String, page: String
    ) async throws -> String {
        var lines = ["  - interval: 1m", "    input_series:"]
        for (name, values) in series {
            lines += ["      - series: 'sluice_entitlements_\(name)'", "        values: '\(values)'"]
        }
        lines.append("    alert_rule_test:")
        lines += silentAt.map { "      - {alertname: \(alert), eval_time: \($0)m}" }
        for minute in firesAt {
            lines += [
                "      - alertname: \(alert)", "        eval_time: \(minute)m", "        exp_alerts:",
                "          - exp_labels: {\(labels)}",
                "            exp_annotations: {summary: \"\(summary)\", runbook: runbooks/\(page).md}",
            ]
        }
        return try await Promtool.failures(of: Self.rules, lines.joined(separator: "\n") + "\n")
    }

    @Test func `stale answers page after a minute, and end with the staleness`() async throws {
        let failures = try await failures(
            "SluiceFactsStale",
            [
                (#"facts_stale{instance="a",environment="production"}"#, "0x10 1x10 0x10"),
                (#"facts_stale{instance="a",environment="sandbox"}"#, "0x30"),
            ], silentAt: [5, 11, 25], firesAt: [13, 20],
            labels: "severity: page, instance: a, environment: production",
            summary: "Answers of a about production are stale", page: "facts-stale")
        #expect(failures == "")
    }
}
