public import AppStoreModel

/// Name of a Kafka topic, as plain text: this library knows no Kafka client.
public struct TopicName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ text: String) { self.rawValue = text }

    public var description: String { rawValue }

    /// Where a consumer group puts the records of this topic that it cannot handle.
    public func deadLetters(of group: String) -> TopicName { TopicName("\(rawValue).\(group).dlq") }
}

/// Environments that have topics of their own. Nothing else is ever published.
public enum RecordEnvironment: String, Sendable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"

    /// Nil for every environment but Production and Sandbox.
    public init?(_ environment: AppStoreEnvironment) { self.init(rawValue: environment.rawValue) }

    public var environment: AppStoreEnvironment { AppStoreEnvironment(rawValue) }

    /// The last part of topic names.
    public var topicSuffix: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        }
    }
}

/// The names of all topics of an installation. Names are dots and no underscores; the environment is part of them.
public struct TopicNames: Hashable, Sendable {
    public static let defaultPrefix = "appstore"

    public let prefix: String

    public init(prefix: String = TopicNames.defaultPrefix) { self.prefix = prefix }

    /// Notification records.
    public func notifications(_ environment: RecordEnvironment) -> TopicName {
        TopicName("\(prefix).notifications.\(environment.topicSuffix)")
    }

    /// What Apple signed for us but is odd, exactly as received.
    public var quarantine: TopicName { TopicName("\(prefix).quarantine") }

    /// State per purchase; compacted.
    public func entitlements(_ environment: RecordEnvironment) -> TopicName {
        TopicName("\(prefix).entitlements.\(environment.topicSuffix)")
    }

    /// Refund cases; compacted.
    public func refunds(_ environment: RecordEnvironment) -> TopicName {
        TopicName("\(prefix).refunds.\(environment.topicSuffix)")
    }

    /// Every topic but the dead letter topics, which are named after their group.
    public var all: [TopicName] {
        RecordEnvironment.allCases.map(notifications) + [quarantine]
            + RecordEnvironment.allCases.map(entitlements) + RecordEnvironment.allCases.map(refunds)
    }
}
