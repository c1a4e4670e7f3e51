internal import AppStoreVerification
internal import HTTPServer
internal import Kafka
internal import Telemetry

/// Exports the counters of the producer and the HTTP server as metrics.
enum IngressSamples {
    static func add(_ status: KafkaProducer.Status, to samples: inout MetricSamples) {
        samples.gauge(
            IngressMetricName.kafkaAvailable, help: "1 when sends are worth trying, 0 while they are refused at once.",
            status.isAvailable ? 1 : 0)
        samples.gauge(
            IngressMetricName.kafkaInFlight, help: "Records whose delivery report is still to come.",
            Double(status.recordsInFlight))
        samples.gauge(
            IngressMetricName.producerGeneration, help: "More than 1: a fatal producer error was survived.",
            Double(status.generation))
    }

    static func add(_ status: RevocationStatus, to samples: inout MetricSamples) {
        for (state, count) in [("good", status.good), ("revoked", status.revoked), ("unknown", status.unknown)] {
            samples.gauge(
                IngressMetricName.revocationCertificates,
                help: "Certificates used within the hour by what is known of their revocation.",
                labels: [MetricLabel("state", state)], Double(count))
        }
        for (outcome, count) in status.outcomes {
            samples.counter(
                IngressMetricName.revocationAnswers, help: "Questions to OCSP responders by their outcome.",
                labels: [MetricLabel("outcome", outcome)], UInt64(clamping: count))
        }
        samples.counter(
            IngressMetricName.revocationAcceptedUnknown, help: "Notifications accepted while no answer was known.",
            UInt64(clamping: status.acceptedUnknown))
        samples.gauge(
            IngressMetricName.revocationNeedsAttention,
            help:
                "1 when a certificate used within the hour is revoked or its answer missing for five minutes, else 0.",
            status.needsAttention ? 1 : 0)
    }

    static func add(_ status: FixedKeyStatus, to samples: inout MetricSamples) {
        samples.gauge(
            IngressMetricName.tables, help: "Keys of which multiples are computed in advance; 0 where that is off.",
            Double(status.tables))
        samples.counter(
            IngressMetricName.tableSignatures, help: "Signatures judged by the table of their key.",
            UInt64(clamping: status.judged))
        samples.counter(
            IngressMetricName.tableRechecks, help: "Signatures that a table accepted and that were verified again.",
            UInt64(clamping: status.rechecked))
        samples.counter(
            IngressMetricName.tableFaults,
            help: "Tables found wrong, in their test or in use; after one there are none until the next start.",
            UInt64(clamping: status.faults))
    }

    static func add(_ counters: ListenerCounters, to samples: inout MetricSamples) {
        samples.gauge(
            IngressMetricName.connections, help: "Connections open.", Double(counters.connections))
        samples.counter(
            IngressMetricName.accepted, help: "Connections accepted.", UInt64(clamping: counters.accepted))
        samples.counter(
            IngressMetricName.evicted, help: "Slow connections evicted for new ones.",
            UInt64(clamping: counters.evicted))
        for (cause, count) in [
            ("capacity", counters.refusedByCapacity), ("rate", counters.refusedByRate),
            ("descriptors", counters.acceptPauses),
        ] {
            samples.counter(
                IngressMetricName.connectionsRefused, help: "Connections closed at once, or not accepted for a moment.",
                labels: [MetricLabel("cause", cause)], UInt64(clamping: count))
        }
        for (phase, count) in [
            ("head", counters.headDeadlines), ("body", counters.bodyDeadlines), ("handler", counters.handlerDeadlines),
            ("idle", counters.idleDeadlines), ("send", counters.sendDeadlines),
        ] {
            samples.counter(
                IngressMetricName.deadlines, help: "Deadlines that ended a phase of a connection.",
                labels: [MetricLabel("phase", phase)], UInt64(clamping: count))
        }
        samples.counter(
            IngressMetricName.responsesDropped, help: "Answers that came after their request had ended.",
            UInt64(clamping: counters.responsesDropped))
        samples.gauge(
            IngressMetricName.requestsInFlight, help: "Requests dispatched and not yet answered.",
            Double(counters.inFlight))
        samples.gauge(
            IngressMetricName.bodyBytes,
            help: "Body bytes of requests that are not yet answered, and bytes read ahead of them.",
            Double(counters.bodyBytes))
        samples.gauge(
            IngressMetricName.unsentBytes, help: "Bytes of responses that clients have not taken yet.",
            Double(counters.unsentBytes))
    }
}
