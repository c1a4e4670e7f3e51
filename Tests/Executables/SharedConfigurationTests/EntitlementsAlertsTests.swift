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

    @Test func `one subscription whose status must be asked for warns for an hour`() async throws {
        let failures = try await failures(
            "SluiceStatusQueryNeeded", [(#"status_queries_needed_total{instance="a"}"#, "0x10 1x100")],
            silentAt: [5, 80], firesAt: [12, 60], labels: "severity: warn, instance: a",
            summary: "What Apple said of a subscription is not explained by what a knows", page: "facts-inconsistent")
        #expect(failures == "")
    }

    @Test func `a pass without a length warns with its problem`() async throws {
        func reports(_ problem: String, _ values: String) -> (String, String) {
            (#"reports_total{instance="a",problem="\#(problem)"}"#, values)
        }
        let failures = try await failures(
            "SluiceEntitlementReports",
            [reports("length_not_configured", "0x10 2x100"), reports("product_missing", "7x110")],
            silentAt: [5, 80], firesAt: [12, 60],
            labels: "severity: warn, instance: a, problem: length_not_configured",
            summary: "A purchase gives less than it may be meant to: length_not_configured", page: "facts-inconsistent")
        #expect(failures == "")
    }

    @Test func `a rising share of disagreements warns, and a few do not`() async throws {
        let failures = try await failures(
            "SluiceStatusDisagreements",
            [
                (#"status_disagreements_total{instance="a"}"#, "0+1x100"),
                (#"purchases_changed_total{instance="a"}"#, "0+20x100"),
                (#"status_disagreements_total{instance="b"}"#, "0+1x100"),
                (#"purchases_changed_total{instance="b"}"#, "0+200x100"),
                (#"status_disagreements_total{instance="c"}"#, "0x50 5x50"),
                (#"purchases_changed_total{instance="c"}"#, "0x50 6x50"),
            ], silentAt: [5], firesAt: [60], labels: "severity: warn, instance: a",
            summary:
                "Facts say otherwise than Apple's status for more than 1 in 100 changed purchases of a",
            page: "facts-inconsistent")
        #expect(failures == "")
    }
}
