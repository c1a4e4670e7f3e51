package import CommandLine
internal import Configuration
internal import Telemetry

/// The command line of `sluice-ingress`.
package enum IngressApplication {
    package static let command = Command(
        "sluice-ingress",
        summary: "Verifies App Store Server Notifications and acknowledges each one after Kafka has stored it.",
        discussion: """
            POST /notifications accepts a notification and responds 200 only after all in-sync replicas of its topic \
            have acknowledged it. /livez, /readyz and /metrics are on the admin listener.

            Exit codes: 0 stopped normally, 1 external failure, 64 usage, 78 configuration.
            """,
        schema: IngressConfiguration.schema,
        examples: [
            .init(
                "sluice-ingress --apps com.example.app:1234567890 --kafka.bootstrap.servers kafka-1:9092,kafka-2:9092",
                "Production with three replicas, checked at startup."),
            .init(
                "sluice-ingress --config sluice.properties --profile single-node --log.format text",
                "A single broker, for experiments."),
            .init(
                "sluice-ingress --apps com.example.app:1234567890 --root.certificates pki/root.pem --revocation off",
                "Accept notifications from sluice-simulator but none from Apple."),
        ],
        version: Build.version)
}
