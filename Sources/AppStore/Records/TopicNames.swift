public import AppStoreModel
public import KafkaModel

extension AppStoreEnvironment {
    /// The environments that have topics. Data from other environments is never published.
    public static let published: [AppStoreEnvironment] = [.production, .sandbox]

    /// Creates a published environment from Apple's spelling, or returns nil for any other text.
    public init?(published text: String) {
        guard let environment = Self.published.first(where: { $0.rawValue == text }) else { return nil }
        self = environment
    }

    /// Whether notifications of this environment are published.
    public var isPublished: Bool { Self.published.contains(self) }

    /// The last part of the environment's topic names, which operators also use: `production` or `sandbox`.
    public var topicSuffix: String { rawValue.lowercased() }
}

/// The names of all topics of an installation. Names contain dots but no underscores, and include the environment.
public struct TopicNames: Hashable, Sendable {
    public static let defaultPrefix = "appstore"

    public let prefix: String

    public init(prefix: String = TopicNames.defaultPrefix) { self.prefix = prefix }

    /// The topic of notification records.
    public func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).notifications.\(environment.topicSuffix)")
    }

    /// The topic of nonconforming notifications that Apple signed for a configured app, exactly as received.
    public var quarantine: KafkaTopic { KafkaTopic(rawValue: "\(prefix).quarantine") }

    /// The compacted topic of the header segments of Apple's JWS, keyed by digest. Records refer to the segments
    /// instead of containing them.
    public var certificates: KafkaTopic { KafkaTopic(rawValue: "\(prefix).certificates") }

    /// The compacted topic with the state of each purchase.
    public func entitlements(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).entitlements.\(environment.topicSuffix)")
    }

    /// The compacted topic with the refund of each transaction.
    public func refunds(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).refunds.\(environment.topicSuffix)")
    }

    /// The compacted topic of the company's refund preferences for its customers, keyed by appAccountToken or
    /// appTransactionId. Any producer may write to it.
    public var refundPreferences: KafkaTopic { KafkaTopic(rawValue: "\(prefix).refunds.preferences") }

    /// The compacted topic with the index of the notifications in the notification topic, and with the sweeps of
    /// Apple's history.
    public func reconciliation(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).reconciliation.\(environment.topicSuffix)")
    }

    /// The compacted topic of erasures and legal holds in the archive. Each record has a separate key.
    public var erasures: KafkaTopic { KafkaTopic(rawValue: "\(prefix).erasures") }

    /// The compacted topic of the encrypted data keys for the archive's records, keyed by pseudonym. This topic is not
    /// archived.
    public var archiveKeys: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.keys") }

    /// The compacted topic of signed checkpoints of the archive's logs, for auditors who compare the archive with
    /// earlier states.
    public var archiveCheckpoints: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.checkpoints") }

    /// The topic of dead letters from the archive's consumer, whatever their input topic.
    public var archiveDeadLetters: KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).archive").deadLetters(of: TopicNames.archiveGroup)
    }

    /// All topics except the dead letter topics, which are named after their consumer groups.
    public var all: [KafkaTopic] {
        AppStoreEnvironment.published.map(notifications) + [quarantine, certificates]
            + AppStoreEnvironment.published.map(entitlements) + AppStoreEnvironment.published.map(refunds)
            + [refundPreferences] + AppStoreEnvironment.published.map(reconciliation) + [
                erasures, archiveKeys, archiveCheckpoints,
            ]
    }
}
