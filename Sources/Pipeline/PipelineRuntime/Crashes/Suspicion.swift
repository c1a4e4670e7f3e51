internal import Bytes
internal import Kafka

/// Records of one partition that were in a handler's hands when the process crashed.
struct Suspicion: Sendable, Equatable {
    /// See ``PartitionHash``.
    var topicHash: Int64
    var partition: Int64
    var first: Int64
    var last: Int64
    /// In how many crashes.
    var crashes: Int64
    /// The process crashed while only this record was in work.
    var isCertain: Bool

    /// After so many crashes a record is handled while nothing else is.
    static let tolerated: Int64 = 3

    func contains(_ topicHash: Int64, _ partition: Int64, _ offset: Int64) -> Bool {
        topicHash == self.topicHash && partition == self.partition && (first...max(first, last)).contains(offset)
    }

    func overlaps(_ other: Suspicion) -> Bool {
        topicHash == other.topicHash && partition == other.partition && first <= other.last && other.first <= last
    }

    /// What is known after one more crash.
    ///
    /// - Parameters:
    ///   - known: from the crashes before.
    ///   - inWork: what was in work this time; `isCertain` where it was in work alone.
    static func merge(_ known: [Suspicion], inWork: [Suspicion]) -> [Suspicion] {
        let met = inWork.map { suspicion in
            var suspicion = suspicion
            suspicion.crashes = 1 + (known.filter { $0.overlaps(suspicion) }.map(\.crashes).max() ?? 0)
            return suspicion
        }
        // What was in work in another crash, but not in this one, keeps its count until it is finished.
        return met
            + known.filter { old in !met.contains { $0.first <= old.first && old.last <= $0.last && $0.overlaps(old) } }
    }
}

/// A topic's name as a number for the file of calls.
enum PartitionHash {
    static func of(_ topic: KafkaTopic) -> Int64 { Int64(bitPattern: FNV1a.hash(topic.rawValue.utf8)) }
}
