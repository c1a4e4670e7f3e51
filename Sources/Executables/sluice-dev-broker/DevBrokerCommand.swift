internal import Configuration
internal import Records
internal import ServiceKit
internal import SharedConfiguration
internal import Telemetry

/// The command line of `sluice-dev-broker`.
enum DevBrokerCommand {
    static let port = Setting.integer(
        "port", default: 9092, in: 0...65535,
        help: "The port of the first broker; the others take those after it. 0 takes free ones."
    ).onCommandLineOnly
    static let host = Setting.string(
        "host", default: "127.0.0.1",
        help: """
            The address that the brokers listen on and that clients are told: an IPv4 address of this machine, or a name \
            of it.
            """, example: "broker"
    ).onCommandLineOnly
    static let brokers = Setting.integer(
        "brokers", default: 1, in: 1...16, help: "How many brokers the cluster has."
    ).onCommandLineOnly
    static let partitions = Setting.integer(
        "partitions", default: 12, in: 1...100, help: "How many partitions the keyed topics have."
    ).onCommandLineOnly
    static let groups = Setting.strings(
        "groups", help: "Consumer groups of your own, whose dead letter topics are created too.", example: "inbox"
    ).optional.onCommandLineOnly
    static let topics = Setting.strings(
        "topics", help: "Topics of your own, created with as many partitions as the keyed topics.",
        example: "appstore.latest.production"
    ).optional.onCommandLineOnly
    static let prefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")

    static let command = Command(
        "sluice-dev-broker",
        summary: "A Kafka-protocol broker in memory, for demonstrations, development and tests. Not for production.",
        discussion: """
            It creates the topics of an installation at start and prints its bootstrap servers as a log line. \
            Everything it holds is gone when it stops. It keeps 5 MiB per partition, compacts nothing, answers no \
            admin requests (kafka-topics.sh, kafka-consumer-groups.sh), knows neither TLS nor passwords, and is reached from \
            this machine only, unless --host says otherwise.

            Exit codes: 0 stopped as asked, 1 a port is taken, 64 usage, 78 configuration.
            """,
        schema: ConfigurationSchema(
            [
                port, host, brokers, partitions, groups, topics, prefix, ApplicationSettings.logLevel,
                ApplicationSettings.logFormat,
            ]),
        examples: [
            .init("sluice-dev-broker --log.format text", "One broker on 127.0.0.1:9092."),
            .init("sluice-dev-broker --port 29092 --brokers 3", "Three brokers on ports 29092 to 29094."),
            .init("sluice-dev-broker --port 0", "A free port, named in the line \"ready\"."),
            .init("sluice-dev-broker --host broker", "In a container whose name is broker, for the others."),
        ],
        version: Build.version
    ).tolerating(SharedConfiguration.keys)
}
