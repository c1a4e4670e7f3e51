package import Configuration
internal import KafkaTokens
internal import Lifecycle
internal import Synchronization
package import Telemetry

/// Watches the files with this process's Kafka passwords and certificates.
///
/// librdkafka reads the files when a client is created, and before version 2.1 it cannot replace their contents, so a
/// rotation requires a restart. A log line and a gauge report a file that has changed since startup, so that a
/// forgotten restart is noticed before the old password or certificate expires.
package final class KafkaCredentialFiles: Service {
    package let name = "kafka credentials"

    private static let interval: Duration = .seconds(10)

    private let files: [String: String]
    private let original: [String: FileFingerprint]
    private let changed = Mutex<Set<String>>([])
    private let logger: Logger

    /// Reads the files in the same way as the clients will.
    package init(_ configuration: Configuration, logger: Logger, metrics: MetricsRegistry) {
        self.logger = logger
        var original: [String: FileFingerprint] = [:]
        // Certificate directories are not watched, nor are values that librdkafka does not interpret as files.
        let files = configuration.files(under: ApplicationSettings.kafka.prefix).filter { property, path in
            // Token secrets are reread for each token.
            guard !KafkaTokenSettings.rereadFiles.contains(property) else { return false }
            guard let fingerprint = try? FileFingerprint(path: path) else { return false }
            original[property] = fingerprint
            return true
        }
        self.files = files
        self.original = original
        metrics.collect { [weak self] samples in
            guard let changed = self?.changed.withLock({ $0 }) else { return }
            for property in files.keys.sorted() {
                samples.gauge(
                    ServiceKitMetricName.credentialsChanged,
                    help: "1 if a file with Kafka credentials has changed since startup, otherwise 0.",
                    labels: [MetricLabel("property", property)], changed.contains(property) ? 1 : 0)
            }
        }
    }

    /// Compares the files with their contents at startup. A missing file is treated as changed.
    package func check() {
        for (property, path) in files {
            let isChanged = (try? FileFingerprint(path: path)) != original[property]
            let isNews = changed.withLock { changed in
                isChanged ? changed.insert(property).inserted : changed.remove(property) != nil
            }
            guard isNews else { continue }
            let fields = [LogField(.property, property), LogField(.file, path)]
            if isChanged {
                logger.warning("Kafka credentials have changed since startup; restart to use them", fields)
            } else {
                logger.info("Kafka credentials again match those read at startup", fields)
            }
        }
    }

    package func start() async throws {}

    package func run() async throws {
        while true {
            try await Task.sleep(for: Self.interval)
            check()
        }
    }

    package func stop(within limit: Duration) async {}
}
