internal import Concurrency
internal import Kafka
internal import Synchronization

/// The records of a partition that wait until an earlier record of their key is finished.
final class KeyQueues: Sendable {
    /// A key is present while one of its records is in work; its queue holds those behind it.
    private let waiting = Mutex<[[UInt8]: FIFO<KafkaRecord>]>([:])

    /// Takes in a record that was read.
    ///
    /// - Returns: true when nothing of its key is in work and the caller begins with it. A record without a key waits
    ///   for no other.
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

    /// The record to handle after a finished one of the same key; nil when there is none yet.
    func next(after record: KafkaRecord) -> KafkaRecord? {
        guard let key = record.key else { return nil }
        return waiting.withLock { waiting in
            if let next = waiting[key]?.popFirst() { return next }
            waiting[key] = nil
            return nil
        }
    }
}
