internal import AppStoreVerification
internal import HTTPServer
internal import Kafka
internal import Telemetry

/// Exports the counters of the producer and the HTTP server as metrics.
enum IngressSamples {
    static func add(_ status: KafkaProducer.Status, to samples: inout MetricSamples) {
        samples.gauge(
            IngressMetricName.kafkaAvailable, help: "1 if records are sent to Kafka, 0 while sends fail fast.",
            status.isAvailable ? 1 : 0)
        samples.gauge(
            IngressMetricName.kafkaInFlight, help: "Records waiting for their delivery report.",
            Double(status.recordsInFlight))
        samples.gauge(
            IngressMetricName.producerGeneration,
            help: "Sequence number of the current producer; greater than 1 after fatal producer errors.",
            Double(status.generation))
    }

    static func add(_ status: RevocationStatus, to samples: inout MetricSamples) {
        for (state, count) in [("good", status.good), ("revoked", status.revoked), ("unknown", status.unknown)] {
            samples.gauge(
                IngressMetricName.revocationCertificates,
                help: "Certificates used within the last hour, by revocation status.",
                labels: [MetricLabel("state", state)], Double(count))
        }
        for (outcome, count) in status.outcomes {
            samples.counter(
                IngressMetricName.revocationAnswers, help: "OCSP requests, by outcome.",
                labels: [MetricLabel("outcome", outcome)], UInt64(clamping: count))
        }
        samples.counter(
            IngressMetricName.revocationAcceptedUnknown,
            help: "Notifications accepted while the revocation status was unknown.",
            UInt64(clamping: status.acceptedUnknown))
        samples.gauge(
            IngressMetricName.revocationNeedsAttention,
            help:
                "1 if a certificate used in the last hour is revoked or has had an unknown status for five minutes.",
            status.needsAttention ? 1 : 0)
    }

    static func add(_ status: FixedKeyStatus, to samples: inout MetricSamples) {
        samples.gauge(
            IngressMetricName.tables, help: "Precomputed key tables in use; 0 when they are disabled.",
            Double(status.tables))
        samples.counter(
            IngressMetricName.tableSignatures, help: "Signatures verified with a precomputed key table.",
            UInt64(clamping: status.judged))
        samples.counter(
            IngressMetricName.tableRechecks,
            help: "Signatures accepted with a key table and re-verified without the table.",
            UInt64(clamping: status.rechecked))
        samples.counter(
            IngressMetricName.tableFaults,
            help: "Key tables that failed verification; after a failure, tables are disabled until the next start.",
            UInt64(clamping: status.faults))
    }

    static func add(_ counters: ListenerCounters, to samples: inout MetricSamples) {
        samples.gauge(
            IngressMetricName.connections, help: "Open connections.", Double(counters.connections))
        samples.counter(
            IngressMetricName.accepted, help: "Accepted connections.", UInt64(clamping: counters.accepted))
        samples.counter(
            IngressMetricName.evicted, help: "Slow connections evicted to make room for new ones.",
            UInt64(clamping: counters.evicted))
        for (cause, count) in [
            ("capacity", counters.refusedByCapacity), ("rate", counters.refusedByRate),
            ("descriptors", counters.acceptPauses),
        ] {
            samples.counter(
                IngressMetricName.connectionsRefused,
                help: "Connections closed immediately, and pauses in accepting connections.",
                labels: [MetricLabel("cause", cause)], UInt64(clamping: count))
        }
        for (phase, count) in [
            ("head", counters.headDeadlines), ("body", counters.bodyDeadlines), ("handler", counters.handlerDeadlines),
            ("idle", counters.idleDeadlines), ("send", counters.sendDeadlines),
        ] {
            samples.counter(
                IngressMetricName.deadlines, help: "Connections closed because a phase exceeded its deadline.",
                labels: [MetricLabel("phase", phase)], UInt64(clamping: count))
        }
        samples.counter(
            IngressMetricName.responsesDropped, help: "Responses produced after their request had ended.",
            UInt64(clamping: counters.responsesDropped))
        samples.gauge(
            IngressMetricName.requestsInFlight, help: "Requests being handled.",
            Double(counters.inFlight))
        samples.gauge(
            IngressMetricName.bodyBytes,
            help: "Bytes buffered for requests that have no response yet, including bytes read ahead.",
            Double(counters.bodyBytes))
        samples.gauge(
            IngressMetricName.unsentBytes, help: "Response bytes not yet sent to clients.",
            Double(counters.unsentBytes))
    }
}
