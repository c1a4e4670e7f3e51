public import Configuration
internal import HTTPClient
public import Kafka
internal import KafkaTokens
internal import OTLP
public import Telemetry

/// The settings of every executable, with their names, defaults and help in one place.
public enum ApplicationSettings {
    public static let bootstrapServers = Setting.string(
        "kafka.bootstrap.servers", default: "localhost:9092",
        help: "Bootstrap brokers of the Kafka cluster, host:port separated by commas.",
        example: "kafka-1:9092,kafka-2:9092,kafka-3:9092")
    public static let kafka = OpenPrefix(
        "kafka.", help: "Any librdkafka property; for a secret, set `kafka.….file` to a file that contains it.",
        example: "kafka.security.protocol=SASL_SSL",
        refused: [
            "kafka.group.id": refusal(of: "group.id"),
            "kafka.group.instance.id": refusal(of: "group.instance.id"),
        ], settings: KafkaTokenSettings.all)
    public static let profile = Setting<DeploymentProfile>.oneOf(
        "profile", default: .production,
        help: """
            production refuses to start on topics that could lose an acknowledged record (fewer than three replicas, \
            fewer than two in sync, unclean elections); single-node starts with a warning.
            """)
    public static let durability = Setting<Durability>.oneOf(
        "durability", default: .checked,
        help: """
            managed skips checking replicas, in-sync replicas and unclean elections under profile production, for \
            Kafka services that replicate data but do not report how. All other checks remain.
            """)
    public static let logLevel = Setting<Logger.Level>.oneOf(
        "log.level", default: .info, help: "Minimum log level.")
    public static let logFormat = Setting<Logger.Format>.oneOf(
        "log.format", default: .json, help: "json for machines, text for people.")
    public static let adminHost = Setting.string(
        "admin.host", default: "127.0.0.1", help: "Address of /livez, /readyz and /metrics.")

    /// Returns the reason for rejecting a key. Executables may share a file and an environment, so a shared group would
    /// split the records of a topic among executables that each need all of them.
    private static func refusal(of name: String) -> String {
        """
        each executable needs its own, because members of one group share the records of a topic. Set \
        entitlements.\(name), webhooks.\(name) and so on: the executable's name without sluice-, followed by .\(name).
        """
    }

    /// Creates the setting for the port of /livez, /readyz and /metrics. Each executable has its own default.
    public static func adminPort(default port: Int) -> Setting<Int> {
        .integer(
            "admin.port", default: port, in: 0...65535,
            help: "Port of /livez, /readyz and /metrics; 0 selects a free port and logs it.")
    }

    /// All settings except the admin port, whose default depends on the executable.
    public static let all: [any AnySetting] =
        [bootstrapServers, profile, durability, logLevel, logFormat, adminHost] + HTTPClientSettings.all
        + OTLPSettings.all

    /// Returns the topic requirements that `profile` and `durability` select.
    public static func deployment(_ configuration: Configuration) -> DeploymentProfile {
        let profile = configuration[profile]
        return profile == .production && configuration[durability] == .managed ? .managed : profile
    }

    /// Creates the Kafka configuration from the bootstrap servers and librdkafka properties.
    ///
    /// - Parameters:
    ///   - clientId: the value of `client.id` unless it is configured. It identifies this process in broker logs, in
    ///     quotas and in `kafka-consumer-groups.sh`.
    ///   - defaults: additional properties that apply unless configured otherwise.
    /// - Throws: a `ConfigurationError` that identifies the property.
    public static func kafkaConfiguration(
        _ configuration: Configuration, clientId: String? = nil, defaults: [String: String] = [:],
        profile: KafkaConfiguration.Profile = .production
    ) throws(ConfigurationError) -> KafkaConfiguration {
        var properties = configuration.prefixed(kafka.prefix)
        properties["bootstrap.servers"] = nil
        if properties["client.id"] == nil { properties["client.id"] = clientId }
        properties.merge(defaults) { given, _ in given }
        let tokens = try KafkaTokenSettings.source(configuration, completing: &properties)
        do {
            var kafka = try KafkaConfiguration(
                bootstrapServers: configuration[bootstrapServers], properties: properties, profile: profile)
            kafka.tokenSource = tokens
            return kafka
        } catch {
            // The name of one property may begin with that of another, as sasl.mechanisms and sasl.mechanism do.
            let property = properties.keys.filter { error.message.hasPrefix($0) }.max { $0.count < $1.count }
            throw configuration.error(kafka.prefix + (property ?? "*"), error.message)
        }
    }

    /// Creates the logger of an executable.
    public static func logger(_ label: String, _ configuration: Configuration) -> Logger {
        Logger.standardError(label: label, level: configuration[logLevel], format: configuration[logFormat])
    }
}
