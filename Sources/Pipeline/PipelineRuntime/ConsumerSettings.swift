package import Configuration

/// Settings of every consumer, beside those of every executable.
package enum ConsumerSettings {
    package static let attempts = Setting.integer(
        "consumer.attempts", default: 5, in: 1...1000,
        help: "Attempts at a record whose handling fails by its own fault, before it goes to the dead letter topic.")
    package static let shutdownLimit = Setting.duration(
        "consumer.shutdown.limit", default: .seconds(30), in: .seconds(2)...(.seconds(240)),
        help: "The longest a stop may take, records in work included.")
    package static let drainLimit = Setting.duration(
        "consumer.drain.limit", default: .seconds(10), in: .seconds(1)...(.seconds(120)),
        help: "How long records in work may take when their partition goes to another member.")

    package static let groupInstanceId = Setting.string(
        "kafka.group.instance.id",
        help: """
            A name of this member that stays the same over restarts: it then keeps its partitions when it is back \
            within kafka.session.timeout.ms. Each member of a group has its own.
            """,
        example: "entitlements-1"
    ).optional

    /// The consumer group; by default the executable's name.
    package static func group(default name: String) -> Setting<String> {
        .string(
            "kafka.group.id", default: name, help: "The consumer group; also part of the dead letter topics' names.")
    }

    /// Everything but the group, whose default is the executable's own.
    package static let all: [any AnySetting] = [attempts, drainLimit, shutdownLimit, groupInstanceId]
}
