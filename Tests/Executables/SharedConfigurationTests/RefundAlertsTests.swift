import Foundation
import TestSupport
import Testing

/// When the alerts about refunds fire, by Prometheus' own tester.
@Suite(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"))
struct RefundAlertsTests {
    /// One alert over one series a minute long, beside others that must not make it fire.
    private struct Story {
        let alert: String
        let series: [(name: String, values: String)]
        /// Minutes after which nothing is said.
        let silentAt: [Int]
        /// Minutes after which it fires.
        let firesAt: [Int]
        let labels: String
        let summary: String
        let page: String

        var yaml: String {
            var lines = ["  - interval: 1m", "    input_series:"]
            for (name, values) in series {
                lines += ["      - series: 'sluice_refunds_\(name)'", "        values: '\(values)'"]
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
            return lines.joined(separator: "\n") + "\n"
        }
    }

    private func expect(_ story: Story) async throws {
        let rules = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/alerts.yml")
        #expect(try await Promtool.failures(of: rules.standardized.path, story.yaml) == "")
    }

    @Test func `a missed answer pages, and one withheld, one too late or one in the sandbox does not`() async throws {
        func unanswered(_ environment: String, _ end: String) -> (String, String) {
            (#"unanswered_total{instance="a",environment="\#(environment)",end="\#(end)",reason="late"}"#, "0x10 1x200")
        }
        try await expect(
            Story(
                alert: "SluiceRefundMissed",
                series: [
                    unanswered("production", "missed"), unanswered("production", "withheld"),
                    unanswered("production", "too_late"), unanswered("sandbox", "missed"),
                ], silentAt: [10, 80], firesAt: [12, 60],
                labels: "severity: page, instance: a, end: missed, reason: late",
                summary: "A consumption request ended without an accepted answer: missed late", page: "refund-missed"))
    }

    @Test func `a request that waits for a person pages after a quarter of an hour`() async throws {
        try await expect(
            Story(
                alert: "SluiceRefundUndecided",
                series: [
                    (#"undecided{instance="a",environment="production",reason="hold"}"#, "0x5 1x60 0x30"),
                    (#"undecided{instance="b",environment="sandbox",reason="hold"}"#, "1x100"),
                ], silentAt: [5, 20, 80], firesAt: [21, 60], labels: "severity: page, reason: hold",
                summary: "Consumption requests wait because something stands in the way: hold",
                page: "refund-undecided"))
    }

    @Test func `a deadline of production in less than two hours pages, and one of the sandbox does not`() async throws {
        try await expect(
            Story(
                alert: "SluiceRefundDeadline",
                series: [
                    (#"next_deadline_seconds{instance="a",environment="production"}"#, "7500-60x60"),
                    (#"next_deadline_seconds{instance="a",environment="sandbox"}"#, "60x60"),
                ], silentAt: [5, 10], firesAt: [12, 40], labels: "severity: page",
                summary: "Apple's 12 hours for a consumption request end in less than 2 hours", page: "refund-deadline")
        )
    }

    @Test func `a token that is refused for a quarter of an hour pages, and one refusal does not`() async throws {
        func attempts(_ instance: String, _ environment: String, _ values: String) -> (String, String) {
            (
                #"attempts_total{instance="\#(instance)",environment="\#(environment)",outcome="unauthorized"}"#, values
            )
        }
        try await expect(
            Story(
                alert: "SluiceRefundUnauthorized",
                series: [
                    attempts("a", "production", "0x5 1+1x60"), attempts("b", "production", "0x5 1x60"),
                    attempts("c", "sandbox", "0+1x60"),
                ], silentAt: [20], firesAt: [25], labels: "severity: page, instance: a",
                summary: "The App Store Server API refuses the token of a", page: "refund-unauthorized"))
    }

    @Test func `a pause of half an hour in production warns`() async throws {
        try await expect(
            Story(
                alert: "SluiceRefundAPIDown",
                series: [
                    (#"paused{instance="a",environment="production"}"#, "1x60"),
                    (#"paused{instance="b",environment="sandbox"}"#, "1x60"),
                ], silentAt: [29], firesAt: [31], labels: "severity: warn, instance: a",
                summary: "a gets no answer from the App Store Server API", page: "refund-deadline"))
    }

    @Test func `a service of the company that fails for a quarter of an hour warns, with the reason`() async throws {
        try await expect(
            Story(
                alert: "SluiceRefundProvider",
                series: [
                    (#"provider_failures_total{instance="a",reason="timed_out"}"#, "0+1x60"),
                    (#"provider_failures_total{instance="a",reason="settings"}"#, "3x60"),
                ], silentAt: [10], firesAt: [30], labels: "severity: warn, instance: a, reason: timed_out",
                summary: "The company's service gives no usable answer about refunds: timed_out",
                page: "refund-provider"))
    }
}
