internal import ArchiveLog
internal import Kafka

/// The keys listed in archived records from the erasures topic. They were destroyed on purpose: the leaf of each record
/// proves the decision.
struct ErasedKeys {
    private var keys: Set<ArchiveKeyId> = []
    /// Whether every record in the erasures topic could be read.
    var isComplete = true

    /// Adds the keys that an erasure record lists. Other records list none.
    mutating func add(_ record: KafkaRecord) {
        guard let value = record.value, let erasure = try? ErasureRecord(json: value), erasure.action == .erase else {
            return
        }
        keys.formUnion(erasure.keys)
    }

    /// Returns the outcome for a key that was destroyed in the key store.
    ///
    /// - Parameter isDecided: whether the key store contains an erasure of the subject. If so, the erasure record may
    ///   simply not have been archived yet.
    func outcome(ofDestroyed key: ArchiveKeyId, isDecided: Bool) -> InspectionOutcome {
        if keys.contains(key) { return InspectionOutcome("erased") }
        let problem = "key \(key) was destroyed, but no archived erasure record lists it"
        return InspectionOutcome(
            "destroyed without a record", problem: problem, kind: isDecided || !isComplete ? .incomplete : .tampered)
    }

    /// Returns the outcome for a key that is missing from the key store.
    func outcome(ofUnknown key: ArchiveKeyId) -> InspectionOutcome {
        if keys.contains(key) { return InspectionOutcome("erased") }
        return InspectionOutcome(
            "key missing", problem: "key \(key) is not in the key store, and no archived erasure record lists it",
            kind: .incomplete)
    }
}
