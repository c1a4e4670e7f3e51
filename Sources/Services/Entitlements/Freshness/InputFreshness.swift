internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import Kafka
internal import Records
internal import Synchronization

/// The read API's behavior when its facts are older than the limit.
package enum StaleAnswers: String, Hashable, Sendable, CaseIterable {
    /// Answers contain `stale: true`.
    case mark
    /// Read requests are answered with status 503.
    case refuse
}

/// The age of the facts behind an answer.
struct FactsAge: Sendable, Equatable {
    /// The facts include everything received up to this time.
    var asOf: AppStoreInstant
    var isStale: Bool
}

/// Tracks how far the group has read its input, by partition, for answers, publications and readiness.
final class InputFreshness: Sendable {
    private let topics: [AppStoreEnvironment: KafkaTopic]
    /// Maximum age of facts in milliseconds; 0 means that facts are never stale.
    private let limit: Int64
    /// The value of `asOf` while the age is unknown.
    static let unknown = AppStoreInstant(clampingMillisecondsSince1970: 0)
    private let partitions = Mutex<[KafkaTopic: [PartitionReading]]>([:])

    /// - Parameter limit: maximum age of facts in milliseconds; 0 means no limit.
    init(topics: TopicNames, limit: Int64) {
        self.topics = Dictionary(uniqueKeysWithValues: AppStoreEnvironment.published.map { ($0, topics.input($0)) })
        self.limit = limit
    }

    // MARK: Queries

    /// Returns the age of answers about the given environments. While the age is unknown for any of their partitions,
    /// returns nil if there is a limit; otherwise, returns an age that has an `asOf` of 1970 and is not stale.
    func age(of environments: [AppStoreEnvironment], at now: AppStoreInstant) -> FactsAge? {
        var least = Int64.max
        for environment in environments {
            guard let moment = receivedUntil(environment) else {
                return limit > 0 ? nil : FactsAge(asOf: Self.unknown, isStale: false)
            }
            least = min(least, moment)
        }
        let asOf = min(AppStoreInstant(clampingMillisecondsSince1970: least), now)
        return FactsAge(asOf: asOf, isStale: limit > 0 && asOf.milliseconds(to: now) > limit)
    }

    /// Returns the time up to which the input for the given purchases has been read, or the earliest possible time if
    /// that time is not known yet.
    func receivedUntil(_ purchases: [PurchaseFacts]) -> AppStoreInstant {
        partitions.withLock { partitions in
            var least = Int64.max
            for purchase in purchases {
                guard let moment = Self.reading(purchase, topics, partitions)?.receivedUntil else { return .earliest }
                least = min(least, moment)
            }
            return AppStoreInstant(clampingMillisecondsSince1970: least)
        }
    }

    /// Returns why the production facts are too old to rely on, or nil if they are not. Ignores sandbox facts, so that
    /// they cannot make a member unavailable for production.
    func obstacle(at now: AppStoreInstant) -> String? {
        guard limit > 0 else { return nil }
        guard let age = age(of: [.production], at: now) else {
            return "it is not yet known how far the input has been read"
        }
        guard age.isStale else { return nil }
        let seconds = age.asOf.milliseconds(to: now) / 1_000
        return """
            the facts are \(seconds) s old, but \(EntitlementsSettings.stalenessLimit.key) is \(limit / 1_000) s
            """
    }

    // MARK: Observations

    /// Updates the measurements for a topic, partition by partition.
    func update(_ topic: KafkaTopic, partitions count: Int, _ body: (Int, inout PartitionReading) -> Void) {
        partitions.withLock { partitions in
            var readings = partitions[topic] ?? []
            if readings.count < count {
                readings += Array(repeating: PartitionReading(), count: count - readings.count)
            }
            for index in 0..<count { body(index, &readings[index]) }
            partitions[topic] = readings
        }
    }

    /// Returns the time up to which an environment's input has been read, in milliseconds since 1970, or nil while it
    /// is unknown for any of the partitions.
    func receivedUntil(_ environment: AppStoreEnvironment) -> Int64? {
        partitions.withLock { partitions in
            guard let topic = topics[environment], let readings = partitions[topic], !readings.isEmpty else {
                return nil
            }
            var least = Int64.max
            for reading in readings {
                guard let moment = reading.receivedUntil else { return nil }
                least = min(least, moment)
            }
            return least
        }
    }

    private static func reading(
        _ purchase: PurchaseFacts, _ topics: [AppStoreEnvironment: KafkaTopic],
        _ partitions: [KafkaTopic: [PartitionReading]]
    ) -> PartitionReading? {
        guard let topic = topics[purchase.environment], let readings = partitions[topic] else { return nil }
        let key = EntitlementsModel.key(purchase.bundleId, purchase.originalTransactionId)
        let index = Int(KafkaPartition(ofKey: key, partitions: Int32(clamping: readings.count)).rawValue)
        return readings.indices.contains(index) ? readings[index] : nil
    }
}
