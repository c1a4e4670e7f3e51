public import Configuration

/// The settings of every consumer, in addition to the settings of every executable.
public enum ConsumerSettings {
    public static let attempts = Setting.integer(
        "consumer.attempts", default: 5, in: 1...1000,
        help: "Maximum number of failed attempts to handle a record before it goes to the dead letter topic.")
    public static let shutdownLimit = Setting.duration(
        "consumer.shutdown.limit", default: .seconds(30), in: .seconds(2)...(.seconds(240)),
        help: """
            Maximum duration of shutdown. If it is less than 4 times consumer.drain.limit, records in progress may get \
            less time than that limit.
            """)
    public static let drainLimit = Setting.duration(
        "consumer.drain.limit", default: .seconds(10), in: .seconds(1)...(.seconds(120)),
        help: "Maximum time to finish records in progress when their partition is revoked or the process stops.")

    public static let recordDeadline = Setting.duration(
        "consumer.record.deadline", in: .seconds(1)...(.seconds(86_400)),
        help: """
            Maximum duration of one handler call; after that, the process exits with code 75. Without a \
            limit, a handler that does not return is only reported by a log line and a gauge.
            """,
        example: "10m"
    ).optional
    public static let dataDirectory = Setting.string(
        "data.dir", default: "./data",
        help: "Directory for the databases and for the file that counts handler crashes; created if it does not exist.")

    /// Returns the setting for an executable's consumer group. The default is the name of the executable. Each
    /// executable has a separate key, such as `entitlements.group.id`, because executables share a file and an
    /// environment.
    public static func group(of executable: String) -> Setting<String> {
        .string(
            "\(ownPrefix(of: executable)).group.id", default: executable,
            help: "The consumer group; its name is also part of the dead letter topic names.")
    }

    /// Returns the setting for an executable's static membership, such as `entitlements.group.instance.id`.
    public static func groupInstanceId(of executable: String) -> Setting<String?> {
        let prefix = ownPrefix(of: executable)
        return Setting.string(
            "\(prefix).group.instance.id",
            help: """
                Name of this member, stable across restarts: the member keeps its partitions if it returns \
                within kafka.session.timeout.ms. It must be unique within the group.
                """,
            example: "\(prefix)-1"
        ).optional
    }

    /// Returns the prefix of an executable's own keys: its name without `sluice-`.
    private static func ownPrefix(of executable: String) -> String {
        let product = "sluice-"
        return executable.hasPrefix(product) ? String(executable.dropFirst(product.count)) : executable
    }

    /// All settings except the group and static membership, whose keys depend on the executable.
    public static let all: [any AnySetting] = [attempts, drainLimit, shutdownLimit, recordDeadline, dataDirectory]
}
