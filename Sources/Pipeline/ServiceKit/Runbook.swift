/// The runbooks that `/readyz` lines refer to, as paths relative to `deploy`, like those in the alerts.
package enum Runbook: String, Sendable, CaseIterable {
    /// The process is starting or stopping.
    case process = "runbooks/process-down.md"
    /// The ingress cannot write to Kafka.
    case ingressKafka = "runbooks/not-ready.md"
    /// The wall clock of the ingress is implausible.
    case clock = "runbooks/clock.md"
    /// A consumer is not reading its input or cannot reach Kafka.
    case consumerKafka = "runbooks/consumer-not-ready.md"
    /// A state restored from a topic is incomplete.
    case state = "runbooks/state-not-complete.md"
    /// The facts behind answers are too old.
    case input = "runbooks/facts-stale.md"
}
