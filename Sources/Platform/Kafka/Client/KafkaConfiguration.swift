/// How to reach the brokers and how clients behave: the bootstrap servers, a profile, and any librdkafka property.
///
/// Properties are checked by librdkafka when the value is made. What this library has to set itself is refused.
/// `description` and `effectiveProperties(for:)` show secrets as `********`.
public struct KafkaConfiguration: Hashable, Sendable {
    /// Which table of defaults is used.
    public enum Profile: String, Hashable, Sendable {
        /// Apache Kafka.
        case production
        /// `DevBroker`, whose groups and long polls work differently.
        case embedded
    }

    /// What a client is for: each takes only the properties that apply to it.
    public enum Role: Hashable, Sendable {
        /// Sends records.
        case producer
        /// Reads as a member of this group.
        case consumer(group: String)
        /// Reads partitions that it is given, and joins no group. librdkafka wants the name of one all the same, and looks
        /// for its coordinator.
        case reader(group: String)
        /// Asks and creates; neither sends nor reads.
        case admin
    }

    /// `host:port` of one or more brokers, separated by commas.
    public let bootstrapServers: String
    /// librdkafka properties beside the defaults, as given.
    public let properties: [String: String]
    /// The table of defaults.
    public let profile: Profile
    /// The group that readers of given partitions name: the client's own name (`client.id`) unless it is set. They join
    /// none, but librdkafka looks for its coordinator, and brokers that check rights refuse one that this user may not
    /// describe, once a second.
    public var readerGroup: String
    /// Where the clients get tokens for SASL OAUTHBEARER; nil where librdkafka gets its own, or none is needed.
    public var tokenSource: KafkaTokenSource?

    /// Checks every property.
    ///
    /// - Throws: `KafkaError` with code `invalidConfiguration`; the message names the property and says why.
    public init(
        bootstrapServers: String, properties: [String: String] = [:], profile: Profile = .production
    ) throws(KafkaError) {
        self.bootstrapServers = bootstrapServers
        self.properties = properties
        self.profile = profile
        readerGroup = properties["client.id"].flatMap { $0.isEmpty ? nil : $0 } ?? "rdkafka"
        guard !bootstrapServers.isEmpty else {
            throw KafkaError(.invalidConfiguration, "bootstrap.servers is empty: give host:port of at least one broker")
        }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            if let reason = ReservedProperties.refusal(name: name, value: value) {
                throw KafkaError(.invalidConfiguration, "\(name) cannot be set: \(reason)")
            }
        }
        for role in [Role.producer, .consumer(group: "check"), .admin] {
            // Checked by setting them all, then dropped: the client sets them again when it is made.
            _ = try ClientSettings(settings(for: role))
        }
    }

    /// The properties of a client in the order in which they are set: defaults, then the caller's, then the fixed ones.
    /// `overrides` come last, for what one client needs beside its role.
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
            // The brokers decide about these in the newer protocol, and librdkafka refuses them.
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

    /// Whether the group is one of KIP-848, in which the brokers assign partitions.
    private var isCoordinatedByBrokers: Bool { properties["group.protocol"]?.lowercased() == "consumer" }

    /// Every property that a client of this role is given, the last value of each name, secrets masked.
    public func effectiveProperties(for role: Role) -> [String: String] {
        var result: [String: String] = [:]
        for setting in settings(for: role) { result[setting.name] = setting.shownValue }
        return result
    }
}

extension KafkaConfiguration: CustomStringConvertible, CustomReflectable {
    /// Bootstrap servers, profile and the given properties on one line, secrets masked.
    public var description: String {
        let shown = properties.sorted { $0.key < $1.key }.map {
            "\($0.key)=\(ClientProperty($0.key, $0.value).shownValue)"
        }
        return "\(bootstrapServers) (\(([profile.rawValue] + shown).joined(separator: ", ")))"
    }

    /// Shows nothing but `description`, so that `dump` and a failed assertion do not print secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
