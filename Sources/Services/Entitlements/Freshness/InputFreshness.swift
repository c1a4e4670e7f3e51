internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import Kafka
internal import Records
internal import Synchronization

/// What the read API does when its facts are older than the limit.
package enum StaleAnswers: String, Hashable, Sendable, CaseIterable {
    /// Answers say `stale: true`.
    case mark
    /// Questions are answered 503.
    case refuse
}

/// How old the facts of an answer are.
struct FactsAge: Sendable, Equatable {
    /// Everything that was received until then is among the facts.
    var asOf: AppStoreInstant
    var isStale: Bool
}

/// How far the group has read its input, by partition, for answers, publications and readiness.
final class InputFreshness: Sendable {
    private let topics: [AppStoreEnvironment: KafkaTopic]
    /// Milliseconds; 0: facts are never called stale.
    private let limit: Int64
    /// What `asOf` says while nothing is known.
    static let unknown = AppStoreInstant(clampingMillisecondsSince1970: 0)
    private let partitions = Mutex<[KafkaTopic: [PartitionReading]]>([:])

    /// - Parameter limit: how old facts may be, in milliseconds; 0: of any age.
    init(topics: TopicNames, limit: Int64) {
        self.topics = Dictionary(uniqueKeysWithValues: AppStoreEnvironment.published.map { ($0, topics.input($0)) })
        self.limit = limit
    }

    // MARK: Questions

    /// How old answers about some environments are; nil while it is not known of one of their partitions. Where facts of
    /// any age are served, they are as of 1970 then.
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

    /// The moment up to which the input of some purchases was read; the earliest one there is while it is not known.
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

    /// Why the facts of production are too old to be relied on; nil when they are not. Nothing in the sandbox takes a
    /// member away from those who ask about production.
    func obstacle(at now: AppStoreInstant) -> String? {
        guard limit > 0 else { return nil }
        guard let age = age(of: [.production], at: now) else {
            return "how far the input was read is not known yet"
        }
        guard age.isStale else { return nil }
        let seconds = age.asOf.milliseconds(to: now) / 1_000
        return """
            the input was read up to \(seconds) s ago, \(EntitlementsSettings.stalenessLimit.key) is \(limit / 1_000) s
            """
    }

    // MARK: Observations

    /// Notes what was read of a topic, by partition.
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

    /// Milliseconds since 1970; nil while it is not known of one of the partitions.
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
