internal import CommandLine
internal import Configuration
internal import Records
internal import ServiceKit
internal import SharedConfiguration
internal import Telemetry

/// The command line of `sluice-dev-broker`.
enum DevBrokerCommand {
    static let port = Setting.integer(
        "port", default: 9092, in: 0...65535,
        help: "Port of the first broker; the others use the following ports. 0 selects free ports."
    ).onCommandLineOnly
    static let host = Setting.string(
        "host", default: "127.0.0.1",
        help: """
            Address that the brokers listen on and advertise: an IPv4 address of this machine, or a name \
            that resolves to one.
            """, example: "broker"
    ).onCommandLineOnly
    static let brokers = Setting.integer(
        "brokers", default: 1, in: 1...16, help: "Number of brokers."
    ).onCommandLineOnly
    static let partitions = Setting.integer(
        "partitions", default: 12, in: 1...100, help: "Number of partitions per keyed topic."
    ).onCommandLineOnly
    static let groups = Setting.strings(
        "groups", help: "Your own consumer groups, whose dead letter topics are also created.", example: "inbox"
    ).optional.onCommandLineOnly
    static let topics = Setting.strings(
        "topics", help: "Your own topics, created with as many partitions as the keyed topics.",
        example: "appstore.latest.production"
    ).optional.onCommandLineOnly
    static let prefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")

    static let command = Command(
        "sluice-dev-broker",
        summary:
            "An in-memory broker that speaks the Kafka protocol, for demonstrations, development and tests. "
            + "Not for production.",
        discussion: """
            It creates an installation's topics at startup and logs its bootstrap servers. All records are lost \
            when it stops. It keeps 5 MiB per partition and never compacts topics. Admin requests (kafka-topics.sh, \
            kafka-consumer-groups.sh), TLS and passwords are not supported. It is reachable only from this machine \
            unless --host is set.

            Exit codes: 0 stopped normally, 1 a port is in use, 64 usage, 78 configuration.
            """,
        schema: ConfigurationSchema(
            [
                port, host, brokers, partitions, groups, topics, prefix, ApplicationSettings.logLevel,
                ApplicationSettings.logFormat,
            ]),
        examples: [
            .init("sluice-dev-broker --log.format text", "One broker on 127.0.0.1:9092."),
            .init("sluice-dev-broker --port 29092 --brokers 3", "Three brokers on ports 29092 to 29094."),
            .init("sluice-dev-broker --port 0", "A free port, logged in the \"ready\" line."),
            .init("sluice-dev-broker --host broker", "Run in a container named broker, and serve other containers."),
        ],
        version: Build.version
    ).tolerating(SharedConfiguration.keys)
}
