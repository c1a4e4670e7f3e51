package import Configuration
internal import ServiceKit
package import Telemetry

/// One of several consumers of the same kind in a process, each in a separate group.
package struct NamedConsumer: Sendable {
    /// The label for this consumer's log lines and metrics. Its value is also the last component of the consumer's page
    /// paths. Nil if the process has only one consumer.
    package let label: MetricLabel?
    /// The settings of this consumer, including its group.
    package let configuration: Configuration

    package init(label: MetricLabel? = nil, configuration: Configuration) {
        self.label = label
        self.configuration = configuration
    }
}

extension NamedConsumer {
    func logger(_ logger: Logger) -> Logger {
        label.map { logger.with([LogField(LogKey(rawValue: $0.name), $0.value)]) } ?? logger
    }

    func metrics(_ metrics: MetricsRegistry) -> MetricsRegistry {
        label.map { metrics.labelled([$0]) } ?? metrics
    }

    func check(_ check: HealthCheck) -> HealthCheck {
        label.map { HealthCheck("\(check.name) \($0.value)", runbook: check.runbook, problem: check.problem) } ?? check
    }

    func page(_ page: AdminPage) -> AdminPage {
        label.map { AdminPage(path: "\(page.path)/\($0.value)", body: page.body) } ?? page
    }
}
