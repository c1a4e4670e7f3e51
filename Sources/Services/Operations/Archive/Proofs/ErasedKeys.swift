internal import ArchiveLog
internal import Kafka

/// Keys named by archived records of the erasures topic: their destruction was intended, and a leaf documents it.
struct ErasedKeys {
    private var keys: Set<ArchiveKeyId> = []
    /// Whether every record of the erasures topic could be read.
    var isComplete = true

    /// Adds the keys of an erasure record; other records name no keys.
    mutating func add(_ record: KafkaRecord) {
        guard let value = record.value, let erasure = try? ErasureRecord(json: value), erasure.action == .erase else {
            return
        }
        keys.formUnion(erasure.keys)
    }

    /// Returns the outcome for a key that the key store has destroyed.
    ///
    /// - Parameter isDecided: whether the key store has an erasure of the subject, which may not be archived yet.
    func outcome(ofDestroyed key: ArchiveKeyId, isDecided: Bool) -> InspectionOutcome {
        if keys.contains(key) { return InspectionOutcome("erased") }
        let problem = "key \(key) was destroyed, and no archived record of an erasure names it"
        return InspectionOutcome(
            "destroyed without a record", problem: problem, kind: isDecided || !isComplete ? .incomplete : .tampered)
    }

    /// Returns the outcome for a key that is missing from the key store.
    func outcome(ofUnknown key: ArchiveKeyId) -> InspectionOutcome {
        if keys.contains(key) { return InspectionOutcome("erased") }
        return InspectionOutcome(
            "key missing", problem: "key \(key) is not in the key store, and no archived record of an erasure names it",
            kind: .incomplete)
    }
}
