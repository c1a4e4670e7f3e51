public import Configuration

/// Settings of every consumer, beside those of every executable.
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

    public static let groupInstanceId = Setting.string(
        "kafka.group.instance.id",
        help: """
            A name of this member that stays the same over restarts: it then keeps its partitions when it is back \
            within kafka.session.timeout.ms. Each member of a group has its own.
            """,
        example: "entitlements-1"
    ).optional

    /// The consumer group; by default the executable's name.
    public static func group(default name: String) -> Setting<String> {
        .string(
            "kafka.group.id", default: name, help: "The consumer group; also part of the dead letter topics' names.")
    }

    /// Everything but the group, whose default is the executable's own.
    public static let all: [any AnySetting] = [
        attempts, drainLimit, shutdownLimit, recordDeadline, dataDirectory, groupInstanceId,
    ]
}
