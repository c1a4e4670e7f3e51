package import Configuration

/// Settings of every executable that keeps a keyed state. Names and defaults are a contract.
package enum StateSettings {
    package static let role = Setting.oneOf(
        "state.role", default: StateOptions.Role.all,
        help: """
            all owns partitions, follows every one and serves reads; worker follows its own partitions and \
            state.standbys others and serves no reads; reader is in no group, follows everything and serves reads.
            """)
    package static let standbys = Setting.integer(
        "state.standbys", default: 0, in: 0...1000,
        help: "Partitions that a worker follows beside its own, so that it takes them over sooner.")
    package static let republishRate = Setting.integer(
        "state.republish.rate", default: 500, in: 1...100_000,
        help: "Rows of a partition that are published again each second after the rules or the form have changed.")
    package static let maximumLag = Setting.integer(
        "state.lag.limit", default: 100_000, in: 1...1_000_000_000,
        help: "Records that the reader of the state's topics may be behind before the process is not ready.")

    package static let all: [any AnySetting] = [role, standbys, republishRate, maximumLag]
}

extension StateOptions {
    /// Takes over what is configured.
    package mutating func configure(_ configuration: Configuration) {
        role = configuration[StateSettings.role]
        standbys = configuration[StateSettings.standbys]
        republishRate = configuration[StateSettings.republishRate]
        maximumLag = Int64(configuration[StateSettings.maximumLag])
    }
}
