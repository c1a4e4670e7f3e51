public import AppStoreModel
public import KafkaModel

extension AppStoreEnvironment {
    /// The environments that have topics. Nothing from other environments is ever published.
    public static let published: [AppStoreEnvironment] = [.production, .sandbox]

    /// The published environment with Apple's spelling; nil for any other text.
    public init?(published text: String) {
        guard let environment = Self.published.first(where: { $0.rawValue == text }) else { return nil }
        self = environment
    }

    /// Whether notifications of this environment are published.
    public var isPublished: Bool { Self.published.contains(self) }

    /// The last part of the names of its topics, also used by operators: `production`, `sandbox`.
    public var topicSuffix: String { rawValue.lowercased() }
}

/// The names of all topics of an installation. Names contain dots and no underscores; the environment is part of them.
public struct TopicNames: Hashable, Sendable {
    public static let defaultPrefix = "appstore"

    public let prefix: String

    public init(prefix: String = TopicNames.defaultPrefix) { self.prefix = prefix }

    /// Notification records.
    public func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).notifications.\(environment.topicSuffix)")
    }

    /// Nonconforming notifications that Apple signed for a configured app, exactly as received.
    public var quarantine: KafkaTopic { KafkaTopic(rawValue: "\(prefix).quarantine") }

    /// The header segments of Apple's JWS by their digest; compacted. Records refer to them instead of carrying them.
    public var certificates: KafkaTopic { KafkaTopic(rawValue: "\(prefix).certificates") }

    /// State of each purchase; compacted.
    public func entitlements(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).entitlements.\(environment.topicSuffix)")
    }

    /// Refund of each transaction; compacted.
    public func refunds(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).refunds.\(environment.topicSuffix)")
    }

    /// The company's refund preferences of its customers, by appAccountToken or appTransactionId; compacted. Any
    /// producer may write to it.
    public var refundPreferences: KafkaTopic { KafkaTopic(rawValue: "\(prefix).refunds.preferences") }

    /// Index of the notifications in the notification topic, and the sweeps of Apple's history; compacted.
    public func reconciliation(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).reconciliation.\(environment.topicSuffix)")
    }

    /// Erasures and legal holds of persons in the archive; compacted, each record under a separate key.
    public var erasures: KafkaTopic { KafkaTopic(rawValue: "\(prefix).erasures") }

    /// Encrypted data keys of the archive's records, by pseudonym; compacted. This topic is not archived.
    public var archiveKeys: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.keys") }

    /// Signed checkpoints of the archive's logs, for auditors who compare the archive with its earlier state;
    /// compacted.
    public var archiveCheckpoints: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.checkpoints") }

    /// Dead letters of the archive's consumer, from any topic.
    public var archiveDeadLetters: KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).archive").deadLetters(of: TopicNames.archiveGroup)
    }

    /// Every topic except the dead letter topics, which are named after their group.
    public var all: [KafkaTopic] {
        AppStoreEnvironment.published.map(notifications) + [quarantine, certificates]
            + AppStoreEnvironment.published.map(entitlements) + AppStoreEnvironment.published.map(refunds)
            + [refundPreferences] + AppStoreEnvironment.published.map(reconciliation) + [
                erasures, archiveKeys, archiveCheckpoints,
            ]
    }
}
