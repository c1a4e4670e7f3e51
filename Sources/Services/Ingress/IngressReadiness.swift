internal import Kafka
internal import Primitives
internal import ServiceKit
internal import Telemetry

/// The conditions for accepting Apple's requests. Roots are not among them, because they are loaded before any listener
/// exists.
enum IngressReadiness {
    static func checks(
        _ producer: KafkaProducer, _ sanity: ClockSanity, _ signedDates: SignedDates, _ clocks: Clocks
    ) -> [HealthCheck] {
        [
            HealthCheck("kafka", .ingressKafka) {
                let status = producer.status
                let advice = status.trouble.map { ": \($0.advice)" } ?? ""
                if !status.isAvailable { return "no broker is reachable" + advice }
                guard !status.isReady else { return nil }
                let topics = status.missingTopics.map(\.rawValue).joined(separator: ", ")
                let denied = status.deniedTopics.map(\.rawValue).joined(separator: ", ")
                if !denied.isEmpty { return "waiting for topics: \(topics); access denied: \(denied)" }
                return (topics.isEmpty ? "the producer is not ready" : "waiting for topics: \(topics)") + advice
            },
            HealthCheck("clock", .clock) {
                let monotonic = clocks.monotonicMilliseconds()
                guard sanity.observe(wall: clocks.wallMilliseconds(), monotonic: monotonic) else {
                    return "the wall clock is wrong, or has just jumped"
                }
                guard !signedDates.contradictClock(at: monotonic) else {
                    return "the wall clock is slow: notifications were signed more than 24 hours ahead of it"
                }
                return nil
            },
        ]
    }
}
