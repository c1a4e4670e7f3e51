/// The configuration for Kafka clients: the bootstrap servers, a profile, and any librdkafka properties.
///
/// librdkafka validates the properties when the configuration is created. Properties that this library itself sets are
/// rejected. `description` and `effectiveProperties(for:)` mask secrets as `********`.
public struct KafkaConfiguration: Hashable, Sendable {
    /// Selects the set of default properties.
    public enum Profile: String, Hashable, Sendable {
        /// Apache Kafka.
        case production
        /// `DevBroker`, with different timing for groups and long polls.
        case embedded
    }

    /// A client's purpose, which determines its properties.
    public enum Role: Hashable, Sendable {
        /// Sends records.
        case producer
        /// Reads as a member of this group.
        case consumer(group: String)
        /// Reads assigned partitions without joining a group. librdkafka nevertheless requires a group name and looks
        /// up the group's coordinator.
        case reader(group: String)
        /// Queries the cluster and creates topics; neither sends nor reads records.
        case admin
    }

    /// The brokers, as comma-separated `host:port` pairs.
    public let bootstrapServers: String
    /// Additional librdkafka properties, unchanged.
    public let properties: [String: String]
    /// The set of default properties.
    public let profile: Profile
    /// The group name for readers that do not join a group. By default, it is the property `client.id`, or `rdkafka` if
    /// that is missing. librdkafka looks up this group's coordinator. If this user may not describe the group, brokers
    /// with access control reject the lookup once a second.
    public var readerGroup: String
    /// The source of SASL OAUTHBEARER tokens, or nil if librdkafka requests its own tokens or needs none.
    public var tokenSource: KafkaTokenSource?

    /// Creates a configuration and validates every property.
    ///
    /// - Throws: `KafkaError` with code `invalidConfiguration` and a message that names the property and the reason.
    public init(
        bootstrapServers: String, properties: [String: String] = [:], profile: Profile = .production
    ) throws(KafkaError) {
        self.bootstrapServers = bootstrapServers
        self.properties = properties
        self.profile = profile
        readerGroup = properties["client.id"].flatMap { $0.isEmpty ? nil : $0 } ?? "rdkafka"
        guard !bootstrapServers.isEmpty else {
            throw KafkaError(
                .invalidConfiguration, "bootstrap.servers is empty: set it to the host:port of at least one broker")
        }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            if let reason = ReservedProperties.refusal(name: name, value: value) {
                throw KafkaError(.invalidConfiguration, "\(name) cannot be set: \(reason)")
            }
        }
        for role in [Role.producer, .consumer(group: "check"), .admin] {
            // Setting all properties validates them. The result is discarded; the properties are set again when a
            // client is created.
            _ = try ClientSettings(settings(for: role))
        }
    }

    /// Returns a copy with additional properties for one of the process's clients. Everything else is the same,
    /// including the token source.
    ///
    /// - Parameters:
    ///   - more: the properties to add.
    ///   - value: chooses between the current and the added value of a property.
    /// - Throws: `KafkaError` with code `invalidConfiguration`.
    package func adding(
        _ more: [String: String], uniquingKeysWith value: (_ present: String, _ added: String) -> String
    ) throws(KafkaError) -> KafkaConfiguration {
        var copy = try KafkaConfiguration(
            bootstrapServers: bootstrapServers, properties: properties.merging(more, uniquingKeysWith: value),
            profile: profile)
        copy.readerGroup = readerGroup
        copy.tokenSource = tokenSource
        return copy
    }

    /// Returns a client's properties in the order of assignment: the defaults, the caller's properties, the fixed
    /// properties, and finally `overrides` for a single client.
    func settings(
        for role: Role, prefetch: KafkaPrefetch = KafkaPrefetch(), overrides: [ClientProperty] = []
    ) -> [ClientProperty] {
        var settings = DefaultProperties.common(profile)
        let skipped: Set<String>
        switch role {
        case .producer:
            settings += DefaultProperties.producer(profile)
            skipped = PropertyNames.consumerOnly
        case .consumer(let group):
            settings += DefaultProperties.consumer(profile, prefetch) + [ClientProperty("group.id", group)]
            // With the newer group protocol, the brokers determine these properties, and librdkafka rejects them.
            if isCoordinatedByBrokers { settings.removeAll { PropertyNames.classicGroupOnly.contains($0.name) } }
            skipped = PropertyNames.producerOnly
        case .reader(let group):
            settings += DefaultProperties.consumer(profile, prefetch) + [ClientProperty("group.id", group)]
            skipped = PropertyNames.producerOnly.union(PropertyNames.memberOnly)
        case .admin:
            settings += DefaultProperties.admin
            skipped = PropertyNames.consumerOnly.union(PropertyNames.producerOnly)
        }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) where !skipped.contains(name) {
            settings.append(ClientProperty(name, value))
        }
        settings.append(ClientProperty("bootstrap.servers", bootstrapServers))
        switch role {
        case .producer: settings += FixedProperties.common(profile) + FixedProperties.producer
        case .consumer:
            settings += FixedProperties.common(profile) + FixedProperties.consumer
            if !isCoordinatedByBrokers { settings += FixedProperties.classicGroup }
        case .reader: settings += FixedProperties.common(profile) + FixedProperties.consumer
        case .admin: settings += FixedProperties.common(profile)
        }
        return settings + overrides
    }

    /// Whether the group uses KIP-848, in which the brokers assign partitions.
    private var isCoordinatedByBrokers: Bool { properties["group.protocol"]?.lowercased() == "consumer" }

    /// Returns all properties of a client with this role, with secrets masked. If a name is repeated, the last value
    /// applies.
    public func effectiveProperties(for role: Role) -> [String: String] {
        var result: [String: String] = [:]
        for setting in settings(for: role) { result[setting.name] = setting.shownValue }
        return result
    }
}

extension KafkaConfiguration: CustomStringConvertible, CustomReflectable {
    /// The bootstrap servers, the profile and the given properties on one line, with secrets masked.
    public var description: String {
        let shown = properties.sorted { $0.key < $1.key }.map {
            "\($0.key)=\(ClientProperty($0.key, $0.value).shownValue)"
        }
        return "\(bootstrapServers) (\(([profile.rawValue] + shown).joined(separator: ", ")))"
    }

    /// Exposes only `description`, so that neither `dump` nor a failed assertion prints secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
