internal import Kafka
internal import Primitives

/// A suspicion, based on earlier crashes, that a record or one of a range of records crashes the process.
struct Suspicion: Sendable, Equatable {
    /// The hash of the topic name. See ``PartitionHash``.
    var topicHash: Int64
    var partition: Int64
    var first: Int64
    var last: Int64
    /// The number of crashes.
    var crashes: Int64
    /// Whether the process crashed while no other record was being handled.
    var isCertain: Bool

    /// The number of crashes after which a record is handled alone.
    static let tolerated: Int64 = 3

    func contains(_ topicHash: Int64, _ partition: Int64, _ offset: Int64) -> Bool {
        topicHash == self.topicHash && partition == self.partition && (first...max(first, last)).contains(offset)
    }

    func overlaps(_ other: Suspicion) -> Bool {
        topicHash == other.topicHash && partition == other.partition && first <= other.last && other.first <= last
    }

    /// Returns the suspicions after one more crash.
    ///
    /// - Parameters:
    ///   - known: suspicions from earlier crashes.
    ///   - inWork: the records being handled during this crash; `isCertain` if the record was handled alone.
    static func merge(_ known: [Suspicion], inWork: [Suspicion]) -> [Suspicion] {
        let met = inWork.map { suspicion in
            var suspicion = suspicion
            suspicion.crashes = 1 + (known.filter { $0.overlaps(suspicion) }.map(\.crashes).max() ?? 0)
            return suspicion
        }
        // A record from an earlier crash that was not being handled in this one keeps its count until it has been
        // handled.
        return met
            + known.filter { old in !met.contains { $0.first <= old.first && old.last <= $0.last && $0.overlaps(old) } }
    }
}

/// Hashes a topic name for the call file.
enum PartitionHash {
    static func of(_ topic: KafkaTopic) -> Int64 { Int64(bitPattern: FNV1a.hash(topic.rawValue.utf8)) }
}
