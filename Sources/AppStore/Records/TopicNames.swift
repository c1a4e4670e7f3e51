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

    /// Whether notifications from this environment are published.
    public var isPublished: Bool { Self.published.contains(self) }

    /// The last part of the environment's topic names: `production` or `sandbox`. Operators use the same names.
    public var topicSuffix: String { rawValue.lowercased() }
}

/// The names of all topics of an installation. Names contain dots but no underscores, and include the environment.
public struct TopicNames: Hashable, Sendable {
    public static let defaultPrefix = "appstore"

    public let prefix: String

    public init(prefix: String = TopicNames.defaultPrefix) { self.prefix = prefix }

    /// Returns the environment for each topic of one kind.
    ///
    /// - Parameter topic: returns the topic for an environment, such as ``entitlements(_:)``.
    package static func environments(
        of topic: (AppStoreEnvironment) -> KafkaTopic
    ) -> [KafkaTopic: AppStoreEnvironment] {
        Dictionary(uniqueKeysWithValues: AppStoreEnvironment.published.map { (topic($0), $0) })
    }

    /// The topic for notification records.
    public func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).notifications.\(environment.topicSuffix)")
    }

    /// The topic for nonconforming notifications that Apple signed for a configured app, exactly as received.
    public var quarantine: KafkaTopic { KafkaTopic(rawValue: "\(prefix).quarantine") }

    /// The compacted topic for JWS header segments from Apple, keyed by digest. Records refer to these segments instead
    /// of containing them.
    public var certificates: KafkaTopic { KafkaTopic(rawValue: "\(prefix).certificates") }

    /// The compacted topic for the state of each purchase.
    public func entitlements(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).entitlements.\(environment.topicSuffix)")
    }

    /// The compacted topic for the refund state of each transaction.
    public func refunds(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).refunds.\(environment.topicSuffix)")
    }

    /// The compacted topic for the company's refund preferences for its customers, keyed by appAccountToken or
    /// appTransactionId. Any producer may write to it.
    public var refundPreferences: KafkaTopic { KafkaTopic(rawValue: "\(prefix).refunds.preferences") }

    /// The compacted topic for the index of the notification topic and the sweeps of Apple's notification history.
    public func reconciliation(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).reconciliation.\(environment.topicSuffix)")
    }

    /// The compacted topic for erasures and legal holds in the archive. Each record has a separate key.
    public var erasures: KafkaTopic { KafkaTopic(rawValue: "\(prefix).erasures") }

    /// The compacted topic for the encrypted data keys of archived records, keyed by pseudonym. This topic is not
    /// archived.
    public var archiveKeys: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.keys") }

    /// The compacted topic for signed checkpoints of the archive's logs. Auditors use them to compare the archive with
    /// its earlier states.
    public var archiveCheckpoints: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.checkpoints") }

    /// The topic for dead letters from the archive's consumer, regardless of their input topic.
    public var archiveDeadLetters: KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).archive").deadLetters(of: TopicNames.archiveGroup)
    }

    /// The compacted topic for consumer group pauses, keyed by group. Every consumer reads it, and only operators write
    /// to it.
    public var control: KafkaTopic { KafkaTopic(rawValue: "\(prefix).control") }

    /// The topic for operator events, for example about a receiver that accepts nothing.
    public var operations: KafkaTopic { KafkaTopic(rawValue: "\(prefix).operations") }

    /// All topics except the dead letter topics, which are named after their consumer groups.
    public var all: [KafkaTopic] {
        AppStoreEnvironment.published.map(notifications) + [quarantine, certificates]
            + AppStoreEnvironment.published.map(entitlements) + AppStoreEnvironment.published.map(refunds)
            + [refundPreferences] + AppStoreEnvironment.published.map(reconciliation) + [
                erasures, archiveKeys, archiveCheckpoints, control, operations,
            ]
    }
}
