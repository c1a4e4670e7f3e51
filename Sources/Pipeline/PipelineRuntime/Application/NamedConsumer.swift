package import Configuration
internal import ServiceKit
package import Telemetry

/// One of the consumers of a process that does the same several times, each in a group of its own.
package struct NamedConsumer: Sendable {
    /// Names it in log lines and metrics; its value is the last part of its pages' paths. Nil for the only one.
    package let label: MetricLabel?
    /// The settings of this consumer, its group included.
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
