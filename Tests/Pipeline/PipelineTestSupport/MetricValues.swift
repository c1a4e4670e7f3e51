import Telemetry

extension MetricsRegistry {
    /// Returns the values of all lines in the text format that begin with the given text. Only their families are
    /// rendered, because tests poll metrics.
    package func values(_ start: String) -> [Double] {
        let families = samples().families.filter { start.hasPrefix($0.key) || $0.key.hasPrefix(start) }
        return String(decoding: PrometheusText.render(families), as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix(start) }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }
}
