internal import Configuration
internal import ServiceKit
internal import Telemetry

/// The command line of `sluicectl`.
enum SluicectlCommand {
    static func command(_ parts: SluicectlParts) -> Command {
        Command(
            "sluicectl", summary: "Operates Sluice.",
            discussion: """
                Exit codes: 0 fine, 1 the answer is no or something outside failed, 64 usage, 70 internal, \
                78 configuration. Results go to standard output, everything else to standard error.
                """,
            examples: [
                .init("sluicectl topics apply", "Create the topics of an installation."),
                .init("sluicectl tap", "Follow production notifications."),
                .init("sluicectl verify body.json", "Why a notification is accepted or rejected."),
                .init(
                    "sluicectl config check --config sluice.properties",
                    "Check a configuration before starting an executable."),
                .init(
                    "sluicectl doctor --config sluice.properties", "Before starting the ingress, and when it fails."),
            ],
            subcommands: [
                topics(parts), tap, verify(parts), quarantine(parts), deadLetters, config(parts), doctor, entitlements,
                api,
                refunds, backfill, reconcile, archive(parts), compareVersions, size, state,
            ] + cluster(parts) + webhooks(parts) + [versionCommand],
            version: Build.version, readsConfiguration: false)
    }

    static let kafkaSchema = ConfigurationSchema(
        [ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output],
        openPrefixes: [ApplicationSettings.kafka])

    // MARK: topics

    /// Returns the settings of topics, including those of webhooks, whose receivers have dead letter topics.
    private static func topicsSchema(_ parts: SluicectlParts) -> ConfigurationSchema {
        let schema = kafkaSchema.adding(
            ConfigurationSchema([
                ApplicationSettings.profile, ApplicationSettings.durability, OperationsSettings.topicsPartitions,
                OperationsSettings.partitions, OperationsSettings.replicationFactor, OperationsSettings.groups,
                OperationsSettings.stateTopics,
            ]))
        return parts.access.map { schema.adding($0.schema) } ?? schema
    }

    private static func topics(_ parts: SluicectlParts) -> Command {
        let schema = topicsSchema(parts)
        return Command(
            "topics",
            summary: "Create the topics of an installation, check them, or print them and the rights on them.",
            examples: [.init("sluicectl topics check", "What is missing or differs, and how to fix it.")],
            subcommands: [
                Command(
                    "apply", summary: "Create missing topics and report on all of them.",
                    discussion: """
                        Nothing that exists is changed: for what differs the command that corrects it is printed. \
                        Partition counts of keyed topics are permanent. The embedded broker creates its topics itself. \
                        Exits with 1 when something differs or could not be created.
                        """,
                    schema: schema.adding(ConfigurationSchema([OperationsSettings.dryRun])),
                    examples: [
                        .init("sluicectl topics apply --dry-run", "What would be created."),
                        .init(
                            "sluicectl topics apply --kafka.bootstrap.servers kafka-1:9092 --partitions 24",
                            "24 partitions; better set topics.partitions=24 in the file, it cannot be changed later."),
                        .init(
                            "sluicectl topics apply --groups sluice-webhooks",
                            "Also the dead letter topics of webhooks that read notifications."),
                        .init("sluicectl topics apply --profile single-node", "One replica, for one broker."),
                    ]),
                Command(
                    "check", summary: "Check the configuration of the topics.",
                    discussion: "Exits with 1 when a topic is missing or differs.",
                    schema: schema,
                    examples: [
                        .init("sluicectl topics check", "A table, and how to fix differences."),
                        .init("sluicectl topics check --output json", "For scripts."),
                    ]),
                Command(
                    "list", summary: "Print the topics as they are created, for other tools.",
                    discussion: "Asks no broker.",
                    schema: schema.adding(
                        ConfigurationSchema([OperationsSettings.topicsFormat, OperationsSettings.strimziCluster])),
                    examples: [
                        .init("sluicectl topics list", "Name, partitions, replicas and settings of each."),
                        .init(
                            "sluicectl topics list --format strimzi --cluster kafka",
                            "Where Strimzi's operator creates topics."),
                        .init("sluicectl topics list --output json", "For scripts."),
                    ]),
            ] + acls(parts), readsConfiguration: false)
    }

    // MARK: tap

    private static let tap = Command(
        "tap", summary: "Follow the records of a topic, decoded.",
        discussion: """
            Reads all partitions without a consumer group: nothing is committed and no consumer notices. Records come \
            in the order of their partition. Tombstones and records that cannot be decoded are shown as what they \
            are. Ends with control-C, when its output is closed, after --count records, or with --no-follow at the \
            end of all partitions.
            """,
        schema: kafkaSchema.adding(
            ConfigurationSchema([
                OperationsSettings.topic, OperationsSettings.tapEnvironment, OperationsSettings.quarantine,
                OperationsSettings.from, OperationsSettings.count, OperationsSettings.noFollow,
                OperationsSettings.signed,
            ])),
        examples: [
            .init("sluicectl tap", "Production notifications from now on."),
            .init(
                "sluicectl tap --environment sandbox --from -10", "The last ten of each partition, then new ones."),
            .init("sluicectl tap --quarantine --from beginning --no-follow", "Everything in quarantine, with reasons."),
            .init(
                "sluicectl tap --from beginning --no-follow --output json | jq .value.notification.notificationType",
                "One JSON object per line."),
            .init(
                "sluicectl tap --signed --from -1 --no-follow",
                "The compact JWS that Apple posted, rebuilt byte for byte."),
        ])

    // MARK: verify

    private static func verify(_ parts: SluicectlParts) -> Command {
        Command(
            "verify", summary: "Verify a notification offline, step by step.",
            discussion: """
                FILE is the body of a request, or a bare JWS of a notification, a transaction, renewal info or an app \
                transaction. Revocation is not asked. Exits with 0 when it is accepted and 1 when it is refused.
                """,
            schema: parts.verification.schema.adding(
                ConfigurationSchema(
                    [OperationsSettings.verifyAt, OperationsSettings.payload, OperationsSettings.output])),
            arguments: [Command.Argument("FILE", help: "the file; - reads standard input")],
            examples: [
                .init("sluicectl verify body.json", "Under Apple's root, for any app."),
                .init(
                    "sluicectl verify --apps com.example.app:1234567890 --payload body.json",
                    "For this app, with the decoded payloads."),
                .init("sluicectl verify --root.certificates pki/root.pem -", "Signed by sluice-simulator."),
                .init("sluicectl verify --at 2026-11-21T12:00:00Z body.json", "As of that time."),
            ])
    }

    // MARK: config

    private static func config(_ parts: SluicectlParts) -> Command {
        let names = parts.executables.map(\.name)
        let schema = ConfigurationSchema(
            [OperationsSettings.executable(of: names), OperationsSettings.output],
            openPrefixes: [
                OpenPrefix(
                    "", help: "Any setting of the executable, see its --help.",
                    example: "--http.port 8080")
            ])
        return Command(
            "config", summary: "Check or show the effective configuration of the executables.",
            examples: [.init("sluicectl config check", "With SLUICE_CONFIG and this shell's environment.")],
            subcommands: [
                Command(
                    "check", summary: "Report every error in file, environment and flags.",
                    discussion:
                        "--config FILE names the file, otherwise SLUICE_CONFIG. Exits with 78 when there is an error.",
                    schema: schema,
                    examples: [
                        .init("sluicectl config check --config sluice.properties", "For every executable."),
                        .init(
                            "sluicectl config check --for sluice-ingress --config sluice.properties", "For one of them."
                        ),
                    ], readsConfiguration: false),
                Command(
                    "show", summary: "Print the effective configuration with the origin of each value, secrets masked.",
                    discussion:
                        "--config FILE names the file, otherwise SLUICE_CONFIG. Exits with 78 when there is an error.",
                    schema: schema,
                    examples: [
                        .init("sluicectl config show --for sluice-ingress", "Effective configuration of the ingress."),
                        .init("sluicectl config show --output json", "For every executable, for scripts."),
                    ], readsConfiguration: false),
            ], readsConfiguration: false)
    }

    // MARK: doctor

    private static let doctor = Command(
        DoctorCommand.name, summary: "Check everything that the ingress depends on.",
        discussion: """
            Reads the configuration as sluice-ingress would (--config or SLUICE_CONFIG, environment, and its settings \
            as flags), and looks at clock, roots, brokers, topics and message \
            sizes; nothing is changed. Where a key for the App Store Server API is configured, Apple is asked whether it \
            is accepted, and the clocks are compared. OCSP responders are asked when a notification or certificates are given, for \
            their addresses are there. A line each: ok, warning, problem or skipped, what, what was found, and what \
            to do. Exits with 1 when there is a problem.
            """,
        schema: DoctorSettings.schema,
        examples: [
            .init("sluicectl doctor --config sluice.properties", "With the ingress's configuration file."),
            .init(
                "sluicectl doctor --jws body.json", "Also queries the responders of this notification's certificates."),
            .init("sluicectl doctor --profile single-node --apps com.example.app:1234567890", "With one broker."),
            .init("sluicectl doctor --output json", "For scripts."),
        ], readsConfiguration: false)

    // MARK: version

    private static let versionCommand = Command(
        "version", summary: "Print the versions of Sluice, of Swift and of each library in use.",
        discussion: """
            Of Swift the compiler's version is known, as far as a program can ask for it. The libraries say \
            themselves what is loaded. With --output json `formats` has the version of each format that this release \
            writes to topics and files; deploy/upgrade says which release reads which.
            """,
        schema: ConfigurationSchema([OperationsSettings.output]),
        examples: [.init("sluicectl version --output json", "For scripts.")], readsConfiguration: false)
}
