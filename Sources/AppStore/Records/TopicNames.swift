public import AppStoreModel
public import KafkaModel

extension AppStoreEnvironment {
    /// The environments that have topics of their own. Nothing else is ever published.
    public static let published: [AppStoreEnvironment] = [.production, .sandbox]

    /// The published environment that Apple spells so; nil for any other text.
    public init?(published text: String) {
        guard let environment = Self.published.first(where: { $0.rawValue == text }) else { return nil }
        self = environment
    }

    /// Whether notifications of this environment are published.
    public var isPublished: Bool { Self.published.contains(self) }

    /// The last part of the names of its topics, and how operators type it: `production`, `sandbox`.
    public var topicSuffix: String { rawValue.lowercased() }
}

/// The names of all topics of an installation. Names are dots and no underscores; the environment is part of them.
public struct TopicNames: Hashable, Sendable {
    public static let defaultPrefix = "appstore"

    public let prefix: String

    public init(prefix: String = TopicNames.defaultPrefix) { self.prefix = prefix }

    /// Notification records.
    public func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).notifications.\(environment.topicSuffix)")
    }

    /// What Apple signed for a configured app but cannot be understood, exactly as received.
    public var quarantine: KafkaTopic { KafkaTopic(rawValue: "\(prefix).quarantine") }

    /// The header segments of Apple's JWS by their digest; compacted. Records name them instead of carrying them.
    public var certificates: KafkaTopic { KafkaTopic(rawValue: "\(prefix).certificates") }

    /// State of each purchase; compacted.
    public func entitlements(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).entitlements.\(environment.topicSuffix)")
    }

    /// The refund of each transaction; compacted.
    public func refunds(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).refunds.\(environment.topicSuffix)")
    }

    /// The company's records about refunds of its customers, under their appAccountToken or appTransactionId;
    /// compacted. Any producer may write it.
    public var refundPreferences: KafkaTopic { KafkaTopic(rawValue: "\(prefix).refunds.preferences") }

    /// Which notifications the notification topic has had, and the sweeps of Apple's history; compacted.
    public func reconciliation(_ environment: AppStoreEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).reconciliation.\(environment.topicSuffix)")
    }

    /// Which persons' data the archive erases or keeps for a legal hold; compacted, each record under a key of its own.
    public var erasures: KafkaTopic { KafkaTopic(rawValue: "\(prefix).erasures") }

    /// The keys that the archive's records are encrypted under, themselves encrypted, by pseudonym; compacted. It is not
    /// archived.
    public var archiveKeys: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.keys") }

    /// Signed checkpoints of the archive's logs, for whoever compares the archive with what it once said; compacted.
    public var archiveCheckpoints: KafkaTopic { KafkaTopic(rawValue: "\(prefix).archive.checkpoints") }

    /// Where the archive's consumer puts what it cannot archive, whichever topic it is of.
    public var archiveDeadLetters: KafkaTopic {
        KafkaTopic(rawValue: "\(prefix).archive").deadLetters(of: TopicNames.archiveGroup)
    }

    /// Every topic but the dead letter topics, which are named after their group.
    public var all: [KafkaTopic] {
        AppStoreEnvironment.published.map(notifications) + [quarantine, certificates]
            + AppStoreEnvironment.published.map(entitlements) + AppStoreEnvironment.published.map(refunds)
            + [refundPreferences] + AppStoreEnvironment.published.map(reconciliation) + [
                erasures, archiveKeys, archiveCheckpoints,
            ]
    }
}
