internal import Cryptography
internal import Kafka
internal import Lifecycle
internal import Synchronization

/// Copies the records of selected keys, and keeps the order of each key's records.
struct StateCopy {
    /// The number of records to send before awaiting their acknowledgements.
    static let batch = 1_000

    let layout: RekeyLayout
    let source: StateRows
    let keys: Set<SHA256Digest>
    let producer: KafkaProducer

    /// - Returns: the number of acknowledged records.
    /// - Throws: a ``StartupError`` for the first record that was not acknowledged.
    func run(_ scan: TopicScan) async throws -> Int {
        var batch: [KafkaProducerRecord] = []
        var copied = 0
        // Records for keys that are in several partitions. They are copied at the end, because the partitions are read
        // one after the other.
        var held: [SHA256Digest: [KafkaPartition: [KafkaProducerRecord]]] = [:]
        try await scan.run { record in
            guard let key = layout.key(of: record) else { return true }
            let name = SHA256.digest(of: key)
            guard keys.contains(name) else { return true }
            let copy = layout.copy(of: record, key)
            guard source.split[name] == nil else {
                held[name, default: [:]][record.partition, default: []].append(copy)
                return true
            }
            batch.append(copy)
            if batch.count >= Self.batch {
                try await send(batch)
                copied += batch.count
                batch = []
            }
            return true
        }
        for (name, records) in held {
            for partition in source.partitions(of: name) { batch += records[partition] ?? [] }
        }
        try await send(batch)
        return copied + batch.count
    }

    private struct Progress {
        var outstanding: Int
        var failure: KafkaError?
    }

    /// Sends records; the producer preserves their order.
    private func send(_ records: [KafkaProducerRecord]) async throws(StartupError) {
        guard !records.isEmpty else { return }
        let progress = Mutex(Progress(outstanding: records.count))
        let failure: KafkaError? = await withCheckedContinuation { continuation in
            for record in records {
                producer.send(record, deadline: .seconds(60)) { result in
                    let end: KafkaError?? = progress.withLock { progress in
                        progress.outstanding -= 1
                        if case .failure(let error) = result { progress.failure = progress.failure ?? error }
                        return progress.outstanding == 0 ? .some(progress.failure) : nil
                    }
                    if case .some(let failure) = end { continuation.resume(returning: failure) }
                }
            }
        }
        guard let failure else { return }
        throw StartupError(
            "Kafka did not acknowledge a record: \(failure.message)",
            fix: failure.isRetriable
                ? "Run the command again: it continues with the missing keys"
                : "Delete \(layout.target), recreate it with correct settings, and run the command again")
    }
}
