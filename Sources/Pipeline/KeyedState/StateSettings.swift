public import Configuration
internal import FoundationEssentials
public import Kafka
public import Lifecycle
internal import PipelineRuntime

/// Settings of every executable with a keyed state. They are part of its schema and applied by
/// ``StateOptions/configure(_:)``. Names and defaults are a contract.
public enum StateSettings {
    public static let role = Setting.oneOf(
        "state.role", default: StateOptions.Role.all,
        help: """
            all owns partitions, follows every partition and serves reads; worker follows its own partitions and \
            state.standbys others, and serves no reads; reader joins no group, follows every partition and serves reads.
            """)
    public static let standbys = Setting.integer(
        "state.standbys", default: 0, in: 0...1000,
        help: "Number of partitions that a worker follows besides its own, so that it can take them over sooner.")
    public static let republishRate = Setting.integer(
        "state.republish.rate", default: 500, in: 1...100_000,
        help: "Rows republished per second in each partition after a change to the rules or the published format.")
    public static let maximumLag = Setting.integer(
        "state.lag.limit", default: 100_000, in: 1...1_000_000_000,
        help: "Lag behind the state's topics, in records, above which the process is not ready.")
    public static let maximumStall = Setting.duration(
        "state.lag.time.limit", default: .seconds(30), in: .seconds(1)...(.seconds(3_600)),
        help: "Longest time behind the topics without applying a record; after that, the process is not ready.")

    public static let all: [any AnySetting] = [role, standbys, republishRate, maximumLag, maximumStall]
}

extension StateOptions {
    /// Creates options from the configuration for a database in `data.dir`. The directory is created if it does not
    /// exist.
    ///
    /// - Parameters:
    ///   - file: the name of the database file.
    ///   - topics: the state's topic for each input topic.
    /// - Throws: a `StartupError` if the directory cannot be created.
    public init(
        file: String, in configuration: Configuration, topics: [KafkaTopic: KafkaTopic]
    ) throws(StartupError) {
        let directory = configuration[ConsumerSettings.dataDirectory]
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StartupError(
                "cannot create the directory \(directory)", setting: ConsumerSettings.dataDirectory.key,
                fix: "Specify a directory that this user can write to", exitCode: .configuration)
        }
        self.init(path: directory + "/" + file, topics: topics)
        configure(configuration)
    }

    /// Checks that `data.dir` can be created, without creating it.
    ///
    /// - Throws: a `ConfigurationError` if there is a file at the path.
    public static func checkDirectory(_ configuration: Configuration) throws(ConfigurationError) {
        let directory = configuration[ConsumerSettings.dataDirectory]
        guard let obstacle = DirectoryPath.obstacle(to: directory) else { return }
        throw configuration.error(
            ConsumerSettings.dataDirectory.key,
            "\(directory) \(obstacle). Specify a directory that the service can write to.")
    }

    /// Applies the configuration to the options.
    public mutating func configure(_ configuration: Configuration) {
        role = configuration[StateSettings.role]
        standbys = configuration[StateSettings.standbys]
        republishRate = configuration[StateSettings.republishRate]
        maximumLag = Int64(configuration[StateSettings.maximumLag])
        maximumStall = configuration[StateSettings.maximumStall]
    }
}
