package import Configuration
internal import ServiceKit
internal import Telemetry

/// One of the consumers of a process that does the same several times, each in a group of its own.
package struct NamedConsumer: Sendable {
    /// In its log lines and metrics, and the last part of its pages' paths; nil for the only one.
    package let name: String?
    /// The settings of this consumer, its group included.
    package let configuration: Configuration

    package init(name: String?, configuration: Configuration) {
        self.name = name
        self.configuration = configuration
    }
}

extension NamedConsumer {
    /// The label and log field that name it.
    private static let key = "receiver"

    func logger(_ logger: Logger) -> Logger {
        name.map { logger.with([LogField(LogKey(rawValue: Self.key), $0)]) } ?? logger
    }

    func metrics(_ metrics: MetricsRegistry) -> MetricsRegistry {
        name.map { metrics.labelled([MetricLabel(Self.key, $0)]) } ?? metrics
    }

    func check(_ check: HealthCheck) -> HealthCheck {
        name.map { HealthCheck("\(check.name) \($0)", problem: check.problem) } ?? check
    }

    func page(_ page: AdminPage) -> AdminPage {
        name.map { AdminPage(path: "\(page.path)/\($0)", body: page.body) } ?? page
    }
}
