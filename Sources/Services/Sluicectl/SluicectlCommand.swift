internal import CommandLine
internal import Configuration
internal import PipelineRuntime
internal import ServiceKit
internal import Telemetry

/// The command line of `sluicectl`.
enum SluicectlCommand {
    static func command(_ parts: SluicectlParts) -> Command {
        Command(
            "sluicectl", summary: "Operates Sluice.",
            discussion: """
                Exit codes: 0 success, 1 negative result or external failure, 64 usage, 70 internal error, 78 \
                configuration. Results go to standard output, everything else to standard error.
                """,
            examples: [
                .init("sluicectl topics apply", "Create an installation's topics."),
                .init("sluicectl tap", "Follow production notifications."),
                .init("sluicectl verify body.json", "Show why a notification is accepted or rejected."),
                .init(
                    "sluicectl config check --config sluice.properties",
                    "Check a configuration before starting an executable."),
                .init(
                    "sluicectl doctor --config sluice.properties",
                    "Diagnose before starting the ingress, or when it fails."),
            ],
            subcommands: [
                topics(parts), tap, top(parts), verify(parts), quarantine(parts), deadLetters(parts), replay,
                config(parts), doctor(parts),
                entitlements,
                api,
                refunds, backfill, reconcile, archive(parts), compareVersions, size, state,
            ] + control(parts) + explain(parts) + cluster(parts) + webhooks(parts) + [versionCommand],
            version: Build.version, readsConfiguration: false)
    }

    static let kafkaSchema = ConfigurationSchema(
        [ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output],
        openPrefixes: [ApplicationSettings.kafka])

    // MARK: topics

    /// Returns the settings for topics, including those for webhooks, because each receiver has its own dead letter
    /// topics.
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
            summary: "Create, check or print an installation's topics and their ACLs.",
            examples: [.init("sluicectl topics check", "List missing and differing topics, and how to fix them.")],
            subcommands: [
                Command(
                    "apply", summary: "Create missing topics, and report on all topics.",
                    discussion: """
                        Existing topics are not changed: for each difference, the command that corrects it is printed. \
                        Partition counts of keyed topics are permanent. The embedded broker creates its topics itself. \
                        Exits with 1 if a topic differs or could not be created.
                        """,
                    schema: schema.adding(ConfigurationSchema([OperationsSettings.dryRun])),
                    examples: [
                        .init("sluicectl topics apply --dry-run", "List the topics that would be created."),
                        .init(
                            "sluicectl topics apply --kafka.bootstrap.servers kafka-1:9092 --partitions 24",
                            "Use 24 partitions. Prefer topics.partitions=24 in the file: the number is permanent."
                        ),
                        .init(
                            "sluicectl topics apply --groups sluice-webhooks",
                            "Include the dead letter topics for webhooks that read notifications."),
                        .init("sluicectl topics apply --profile single-node", "One replica, for a single broker."),
                    ]
                ) {
                    try await TopicsCommand(configuration: $0.configuration, access: parts.access, timeout: $0.timeout)
                        .apply($0.console)
                },
                Command(
                    "check", summary: "Check the topic configuration.",
                    discussion: "Exits with 1 if a topic is missing or differs.",
                    schema: schema,
                    examples: [
                        .init("sluicectl topics check", "Print a table with the fix for each difference."),
                        .init("sluicectl topics check --output json", "For scripts."),
                    ]
                ) {
                    try await TopicsCommand(configuration: $0.configuration, access: parts.access, timeout: $0.timeout)
                        .check($0.console)
                },
                Command(
                    "list", summary: "Print the topics with their settings, for other tools.",
                    discussion: "No broker is contacted.",
                    schema: schema.adding(
                        ConfigurationSchema([OperationsSettings.topicsFormat, OperationsSettings.strimziCluster])),
                    examples: [
                        .init("sluicectl topics list", "List each topic with its partitions, replicas and settings."),
                        .init(
                            "sluicectl topics list --format strimzi --cluster kafka",
                            "Resources for Strimzi's topic operator."),
                        .init("sluicectl topics list --output json", "For scripts."),
                    ]
                ) {
                    try await TopicsListCommand(configuration: $0.configuration, access: parts.access).run($0.console)
                },
            ] + acls(parts), readsConfiguration: false)
    }

    // MARK: tap

    private static let tap = Command(
        "tap", summary: "Follow a topic and print its records, decoded.",
        discussion: """
            Reads all partitions without a consumer group: nothing is committed, and consumers are not affected. \
            Records are in order within each partition. Tombstones and undecodable records are shown as such. Ends on \
            control-C, when its output is closed, after --limit records, or with --no-follow at the end of all \
            partitions.
            """,
        schema: kafkaSchema.adding(
            ConfigurationSchema(
                [
                    OperationsSettings.topic, OperationsSettings.tapEnvironment, OperationsSettings.quarantine,
                    OperationsSettings.tapStart, OperationsSettings.tapFrom, OperationsSettings.recordLimit,
                    OperationsSettings.noFollow,
                    OperationsSettings.signed,
                ] + TapSettings.all)),
        examples: [
            .init("sluicectl tap", "Production notifications from now on."),
            .init(
                "sluicectl tap --environment sandbox --start -10",
                "The last ten records from each partition, then new ones."),
            .init(
                "sluicectl tap --type REFUND --app com.example.app --from 2026-11-26T00:00:00Z --no-follow",
                "Refunds for one app since midnight."),
            .init(
                "sluicectl tap --quarantine --start beginning --no-follow", "Everything in quarantine, with reasons."),
            .init(
                "sluicectl tap --start beginning --no-follow --output json | jq .value.notification.notificationType",
                "One JSON object per line."),
            .init(
                "sluicectl tap --signed --start -1 --no-follow",
                "The compact JWS that Apple posted, rebuilt byte for byte."),
        ]
    ) {
        try await TapCommand(configuration: $0.configuration, interruption: $0.interruptions(), timeout: $0.timeout)
            .run($0.console)
    }

    // MARK: verify

    private static func verify(_ parts: SluicectlParts) -> Command {
        Command(
            "verify", summary: "Verify a notification offline, step by step.",
            discussion: """
                FILE contains a request body, or the JWS of a notification, a transaction, renewal info or an app \
                transaction. Revocation is not checked. Exits with 0 if FILE is accepted and with 1 if it is rejected.
                """,
            schema: parts.verification.schema.adding(
                ConfigurationSchema(
                    [OperationsSettings.verifyAt, OperationsSettings.payload, OperationsSettings.output])),
            arguments: [Command.Argument("FILE", help: "file to verify, or - for standard input")],
            examples: [
                .init("sluicectl verify body.json", "Verify with Apple's root, for any app."),
                .init(
                    "sluicectl verify --apps com.example.app:1234567890 --payload body.json",
                    "Verify for this app, and print the decoded payloads."),
                .init(
                    "sluicectl verify --root.certificates pki/root.pem -", "A notification signed by sluice-simulator."
                ),
                .init("sluicectl verify --at 2026-11-21T12:00:00Z body.json", "Verify as of that time."),
            ]
        ) {
            try await VerifyCommand(configuration: $0.configuration, source: parts.verification, clocks: $0.clocks).run(
                $0.argument, $0.console)
        }
    }

    // MARK: config

    private static func config(_ parts: SluicectlParts) -> Command {
        let names = parts.executables.map(\.name)
        let schema = ConfigurationSchema(
            [OperationsSettings.executable(of: names), OperationsSettings.output],
            openPrefixes: [
                OpenPrefix(
                    "", help: "Any setting of the executable; see its --help.",
                    example: "--http.port 8080")
            ])
        return Command(
            "config", summary: "Check or show the executables' effective configuration.",
            examples: [.init("sluicectl config check", "Check with SLUICE_CONFIG and this shell's environment.")],
            subcommands: [
                Command(
                    "check", summary: "Report every error in the file, the environment and the flags.",
                    discussion:
                        "Reads the file given by --config or SLUICE_CONFIG. Exits with 78 if there is an error.",
                    schema: schema,
                    examples: [
                        .init(
                            "sluicectl config check --config sluice.properties",
                            "Check the configuration of every executable."),
                        .init(
                            "sluicectl config check --for sluice-ingress --config sluice.properties",
                            "Check the configuration of one executable."
                        ),
                    ], readsConfiguration: false
                ) { await ConfigCommand($0, parts).check($0.configuration[OperationsSettings.output], $0.console) },
                Command(
                    "show", summary: "Print the effective configuration with the origin of each value, secrets masked.",
                    discussion:
                        "Reads the file given by --config or SLUICE_CONFIG. Exits with 78 if there is an error.",
                    schema: schema,
                    examples: [
                        .init("sluicectl config show --for sluice-ingress", "Effective configuration of the ingress."),
                        .init("sluicectl config show --output json", "Configuration of every executable, as JSON."),
                    ], readsConfiguration: false
                ) { await ConfigCommand($0, parts).show($0.configuration[OperationsSettings.output], $0.console) },
            ], readsConfiguration: false)
    }

    // MARK: doctor

    private static func doctor(_ parts: SluicectlParts) -> Command {
        Command(
            DoctorCommand.name, summary: "Check all dependencies of an executable.",
            discussion: """
                Reads the same configuration as the executable in --for, by default sluice-ingress (--config or \
                SLUICE_CONFIG, environment, and its settings as flags). Checks the configuration with its files, \
                clock, roots, names, connections, TLS and authentication, topics, each right of topics acls, ports, \
                directories and free space, webhook and provider servers, and buckets. Run it on the executable's \
                machine, as the executable's user. Nothing is changed in Kafka: rights are tested with requests that \
                brokers refuse after checking the rights, except with durability=managed, where the right to write \
                remains unknown. In a bucket, creates the object conditional-writes, as sluice-archive does. If an \
                App Store Server API key is configured, it is tried with a request to Apple, and the clocks are \
                compared. OCSP responders are queried if a notification or certificates with their addresses are \
                given. Prints one line per check, with the result (ok, warning, problem, unknown or skipped), subject, \
                finding and fix. Unknown means that the check could not be made. Exits with 1 if there is a problem.
                """,
            schema: DoctorSettings.schema(parts),
            examples: [
                .init("sluicectl doctor --config sluice.properties", "Check the ingress with its configuration file."),
                .init(
                    "sluicectl doctor --for sluice-webhooks --config sluice.properties",
                    "Check a different executable, before starting it or when it fails."),
                .init(
                    "sluicectl doctor --jws body.json",
                    "Also query the OCSP responders of this notification's certificates."),
                .init(
                    "sluicectl doctor --profile single-node --apps com.example.app:1234567890",
                    "Check a setup with a single broker."),
                .init("sluicectl doctor --output json", "For scripts."),
            ], readsConfiguration: false
        ) { try await DoctorCommand($0, parts).run($0.console) }
        // Name resolution and connections block the thread.
        .running(on: HandlerThreads.shared)
    }

    // MARK: version

    private static let versionCommand = Command(
        "version", summary: "Print the versions of Sluice, Swift and each library in use.",
        discussion: """
            For Swift, prints the compiler's version, as far as a program can determine it; libraries report their own \
            loaded version. With --output json, `formats` contains the version of each format that this release writes \
            to topics and files; deploy/upgrade lists the releases that read each.
            """,
        schema: ConfigurationSchema([OperationsSettings.output]),
        examples: [.init("sluicectl version --output json", "For scripts.")], readsConfiguration: false
    ) { await VersionCommand.run($0.configuration, $0.console) }
}
