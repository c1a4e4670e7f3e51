internal import Kafka
internal import ServiceKit
internal import Telemetry

/// A process's pausable consumers, used to create its control topic reader.
struct ControlParts {
    private var source: (topic: KafkaTopic, kafka: KafkaConfiguration)?
    private var subjects: [ControlReader.Subject] = []

    /// Adds a consumer. All consumers of a process have the same control topic.
    mutating func add(_ pause: GroupPause, topic: KafkaTopic, kafka: KafkaConfiguration, logger: Logger) {
        source = source ?? (topic, kafka)
        subjects.append(ControlReader.Subject(pause: pause, logger: logger))
    }

    /// Returns the reader, or nil if no consumer can be paused.
    func reader(metrics: MetricsRegistry, logger: Logger) -> ControlReader? {
        source.map {
            ControlReader(kafka: $0.kafka, topic: $0.topic, subjects: subjects, metrics: metrics, logger: logger)
        }
    }

    /// Returns the `/readyz` lines about pauses. A paused member is ready: it answers reads from its state, and a
    /// restart would not resume it.
    func notes(_ reader: ControlReader?) -> [HealthCheck] {
        var notes = subjects.map { subject in
            HealthCheck("paused") { [pause = subject.pause] in pause.record.map { "group \(pause.group) \($0)" } }
        }
        if let reader {
            notes.append(HealthCheck("control") { reader.problem.map { "pausing and resuming have no effect: \($0)" } })
        }
        return notes
    }
}
