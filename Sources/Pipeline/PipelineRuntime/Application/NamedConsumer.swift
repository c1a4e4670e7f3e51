package import Configuration
internal import ServiceKit
package import Telemetry

/// One of several consumers of the same kind in a process, each in a group of its own.
package struct NamedConsumer: Sendable {
    /// Label of its log lines and metrics; its value is the last part of its pages' paths. Nil for the only consumer.
    package let label: MetricLabel?
    /// Settings of this consumer, including its group.
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
        label.map { HealthCheck("\(check.name) \($0.value)", problem: check.problem) } ?? check
    }

    func page(_ page: AdminPage) -> AdminPage {
        label.map { AdminPage(path: "\(page.path)/\($0.value)", body: page.body) } ?? page
    }
}
