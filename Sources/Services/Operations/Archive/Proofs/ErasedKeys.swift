internal import ArchiveFormat
internal import ArchiveLog
internal import Kafka

/// Keys that archived records of the erasures topic name: destroyed on purpose, with a leaf that says so.
struct ErasedKeys {
    private var keys: Set<ArchiveKeyId> = []
    /// Every record of the erasures topic could be read.
    var isComplete = true

    /// A record that is none names no key.
    mutating func add(_ record: KafkaRecord) {
        guard let value = record.value, let erasure = try? ErasureRecord(json: value), erasure.action == .erase else {
            return
        }
        keys.formUnion(erasure.keys)
    }

    /// The outcome of a key that the key store has destroyed.
    ///
    /// - Parameter isDecided: the key store knows of an erasure of the subject, which may not be archived yet.
    func outcome(ofDestroyed key: ArchiveKeyId, isDecided: Bool) -> InspectionOutcome {
        if keys.contains(key) { return InspectionOutcome("erased") }
        let problem = "key \(key) was destroyed, and no archived record of an erasure names it"
        return InspectionOutcome(
            "destroyed without a record", problem: problem, kind: isDecided || !isComplete ? .incomplete : .tampered)
    }

    /// The outcome of a key that the key store does not have.
    func outcome(ofUnknown key: ArchiveKeyId) -> InspectionOutcome {
        if keys.contains(key) { return InspectionOutcome("erased") }
        return InspectionOutcome(
            "key missing", problem: "key \(key) is not in the key store, and no archived record of an erasure names it",
            kind: .incomplete)
    }
}
