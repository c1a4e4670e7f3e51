public import Configuration

/// Settings of every consumer, in addition to those of every executable.
public enum ConsumerSettings {
    public static let attempts = Setting.integer(
        "consumer.attempts", default: 5, in: 1...1000,
        help: "Attempts at a record whose handling fails by its own fault, before it goes to the dead letter topic.")
    public static let shutdownLimit = Setting.duration(
        "consumer.shutdown.limit", default: .seconds(30), in: .seconds(2)...(.seconds(240)),
        help:
            "The longest a stop may take; at least 2.5 times consumer.drain.limit, or records in work get less than that."
    )
    public static let drainLimit = Setting.duration(
        "consumer.drain.limit", default: .seconds(10), in: .seconds(1)...(.seconds(120)),
        help: "How long records in work may take when their partition is revoked or the process stops.")

    public static let recordDeadline = Setting.duration(
        "consumer.record.deadline", in: .seconds(1)...(.seconds(86_400)),
        help: """
            How long one call of the handler may last; beyond it the process ends with 75 and starts again. Without it a \
            handler that does not return is a log line and a gauge.
            """,
        example: "10m"
    ).optional
    public static let dataDirectory = Setting.string(
        "data.dir", default: "./data",
        help: "Directory of databases, and of the file that counts crashes of handlers; created when it is missing.")

    /// The consumer group of an executable; by default its name. The key is the executable's own, such as
    /// `entitlements.group.id`, because executables share a file and an environment.
    public static func group(of executable: String) -> Setting<String> {
        .string(
            "\(ownPrefix(of: executable)).group.id", default: executable,
            help: "The consumer group; also part of the dead letter topics' names.")
    }

    /// The static membership of an executable, such as `entitlements.group.instance.id`.
    public static func groupInstanceId(of executable: String) -> Setting<String?> {
        let prefix = ownPrefix(of: executable)
        return Setting.string(
            "\(prefix).group.instance.id",
            help: """
                A name of this member that stays the same over restarts: it then keeps its partitions when it is back \
                within kafka.session.timeout.ms. Each member of a group has its own.
                """,
            example: "\(prefix)-1"
        ).optional
    }

    /// The first part of an executable's own keys: its name, without the name of the product.
    private static func ownPrefix(of executable: String) -> String {
        let product = "sluice-"
        return executable.hasPrefix(product) ? String(executable.dropFirst(product.count)) : executable
    }

    /// All settings except the group and its member, whose keys depend on the executable.
    public static let all: [any AnySetting] = [attempts, drainLimit, shutdownLimit, recordDeadline, dataDirectory]
}
