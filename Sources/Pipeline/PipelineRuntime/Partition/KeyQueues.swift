internal import Kafka
internal import Primitives
internal import Synchronization

/// A partition's records that wait until an earlier record with the same key has been handled.
final class KeyQueues: Sendable {
    /// The queue of waiting records for each key. A key is present while one of its records is being handled.
    private let waiting = Mutex<[[UInt8]: FIFO<KafkaRecord>]>([:])

    /// Enqueues a record unless it can be handled now.
    ///
    /// - Returns: true if no other record with the same key is being handled; in that case, the caller must handle the
    ///   record now. A record without a key never waits.
    func begin(_ record: KafkaRecord) -> Bool {
        guard let key = record.key else { return true }
        return waiting.withLock { waiting in
            guard waiting[key] != nil else {
                waiting[key] = FIFO()
                return true
            }
            waiting[key]?.append(record)
            return false
        }
    }

    /// Returns the next waiting record with the same key as a handled record, or nil if none is waiting.
    func next(after record: KafkaRecord) -> KafkaRecord? {
        guard let key = record.key else { return nil }
        return waiting.withLock { waiting in
            if let next = waiting[key]?.popFirst() { return next }
            waiting[key] = nil
            return nil
        }
    }
}
