/// The executables' metrics that `top` shows.
enum TopMetrics {
    /// A counter whose rates are shown for each value of one label.
    struct Outcomes: Sendable {
        let name: String
        let label: String
        /// A word to put before the outcome if the executable has several counters, otherwise empty.
        var prefix = ""
    }

    /// A gauge that is shown only while it differs from the usual state.
    struct Condition: Sendable {
        let name: String
        /// Returns the text for a value, or nil for the usual state.
        let text: @Sendable (Double) -> String?

        init(_ name: String, _ text: @escaping @Sendable (Double) -> String?) {
            self.name = name
            self.text = text
        }
    }

    static let outcomes = [
        Outcomes(name: "sluice_ingress_decisions_total", label: "reason"),
        Outcomes(name: "sluice_consumer_records_total", label: "outcome"),
        Outcomes(name: "sluice_consumer_retries_total", label: "cause", prefix: "retry "),
        Outcomes(name: "sluice_webhooks_attempts_total", label: "outcome", prefix: "webhook "),
        Outcomes(name: "sluice_refunds_attempts_total", label: "outcome", prefix: "Apple "),
        Outcomes(name: "sluice_entitlements_requests_total", label: "status", prefix: "read "),
    ]

    static let lagRecords = "sluice_consumer_lag_records"
    static let lagSeconds = "sluice_consumer_lag_seconds"
    static let oldestUnfinished = "sluice_consumer_oldest_unfinished_seconds"
    static let partitions = "sluice_consumer_assigned_partitions"
    static let build = "sluice_build_info"

    static let conditions = [
        Condition("sluice_ingress_kafka_available") { $0 == 0 ? "Kafka unavailable, answering 503" : nil },
        Condition("sluice_ingress_quarantine_budget_spent_ratio") {
            $0 >= 0.01 ? "quarantine budget \(percent($0)) spent" : nil
        },
        Condition("sluice_consumer_brokers_up") { $0 == 0 ? "not connected to any broker" : nil },
        Condition("sluice_consumer_control_reading") { $0 == 0 ? "pausing and resuming have no effect" : nil },
        Condition("sluice_state_complete") { $0 == 0 ? "state incomplete" : nil },
        Condition("sluice_state_writable") { $0 == 0 ? "state not writable" : nil },
        Condition("sluice_state_unread_records") { $0 > 0 ? "\(count($0)) records to restore" : nil },
        Condition("sluice_entitlements_facts_stale") { $0 > 0 ? "facts stale" : nil },
        Condition("sluice_entitlements_confirmations_paused") { $0 > 0 ? "confirmations paused" : nil },
        Condition("sluice_refunds_paused") { $0 > 0 ? "answers to Apple paused" : nil },
        Condition("sluice_refunds_next_deadline_seconds") {
            $0 > 0 && $0 < 3 * 3_600 ? "next refund deadline in \(duration($0))" : nil
        },
        Condition("sluice_webhooks_paused") { $0 > 0 ? "receiver paused" : nil },
        Condition("sluice_webhooks_stopped") { $0 > 0 ? "receiver stopped" : nil },
    ]

    /// The executables, each with a metric name prefix that no other executable has.
    static let executables = [
        ("sluice_ingress_", "sluice-ingress"), ("sluice_entitlements_", "sluice-entitlements"),
        ("sluice_refunds_", "sluice-refunds"), ("sluice_reconciler_", "sluice-reconciler"),
        ("sluice_archive_", "sluice-archive"), ("sluice_webhooks_", "sluice-webhooks"),
    ]

    static func count(_ value: Double) -> String { String(Int64(exactly: value.rounded()) ?? .max) }

    private static func percent(_ ratio: Double) -> String { count(ratio * 100) + "%" }

    /// Formats seconds: `42 s`, `12 min`, `3 h`.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: count(seconds) + " s"
        case ..<7_200: count((seconds / 60).rounded(.down)) + " min"
        default: count((seconds / 3_600).rounded(.down)) + " h"
        }
    }
}
