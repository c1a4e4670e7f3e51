package import Configuration

/// Settings of every consumer, beside those of every executable.
package enum ConsumerSettings {
    package static let attempts = Setting.integer(
        "consumer.attempts", default: 5, in: 1...1000,
        help: "Attempts at a record whose handling fails by its own fault, before it goes to the dead letter topic.")
    package static let shutdownLimit = Setting.duration(
        "consumer.shutdown.limit", default: .seconds(20), in: .seconds(2)...(.seconds(240)),
        help: "The longest a stop may take; half of it is for records in work.")

    /// The consumer group; by default the executable's name.
    package static func group(default name: String) -> Setting<String> {
        .string(
            "kafka.group.id", default: name, help: "The consumer group; also part of the dead letter topics' names.")
    }

    /// Everything but the group, whose default is the executable's own.
    package static let all: [any AnySetting] = [attempts, shutdownLimit]
}
