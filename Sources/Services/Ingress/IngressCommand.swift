package import Configuration
internal import Telemetry

/// The command line of `sluice-ingress`.
package enum IngressCommand {
    package static let command = Command(
        "sluice-ingress",
        summary: "Verifies App Store Server Notifications and acknowledges each one when Kafka has it.",
        discussion: """
            POST /notifications takes a notification and answers 200 only after all in-sync replicas of the \
            notification topic acknowledged it. /livez, /readyz and /metrics are on the admin listener.

            Exit codes: 0 stopped as asked, 1 something outside failed, 64 usage, 78 configuration.
            """,
        schema: IngressPlan.schema,
        examples: [
            .init(
                "sluice-ingress --apps com.example.app:1234567890 --kafka.bootstrap.servers kafka-1:9092,kafka-2:9092",
                "Production: three replicas, checked at start."),
            .init(
                "sluice-ingress --config sluice.properties --profile single-node --log.format text",
                "One broker, for trying things out."),
            .init(
                "sluice-ingress --apps com.example.app:1234567890 --root.certificates pki/root.pem --revocation off",
                "Accepts what sluice-simulator signs, and nothing of Apple's."),
        ],
        version: Build.version)
}
