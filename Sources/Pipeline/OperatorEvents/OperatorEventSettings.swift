package import Configuration

/// The setting for operator events, identical in every executable.
package enum OperatorEventSettings {
    package static let events = Setting.boolean(
        "operations.events", default: false,
        help: """
            Publish operator events, such as the start of a member or a receiver that accepts nothing, to the topic \
            …operations. Requires Write and DescribeConfigs on it (sluicectl topics acls).
            """)
}
