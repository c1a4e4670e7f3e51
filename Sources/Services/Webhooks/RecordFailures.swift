internal import Kafka
internal import Synchronization

/// Tells a record that the receiver cannot take from a receiver that is down: a record is at fault when it has failed
/// often and for long while others were accepted.
final class RecordFailures: Sendable {
    /// When a record is at fault.
    struct Limits: Sendable, Equatable {
        /// So many failures, each after the receiver has accepted something since the one before it.
        let count: Int
        /// Since the first of them.
        let time: Duration
    }

    private struct Failure {
        var count = 1
        /// Acceptances there had been at the last failure that counted.
        var accepted: UInt64
        /// Monotonic nanoseconds.
        let first: UInt64
    }

    private struct State {
        var accepted: UInt64 = 0
        /// Bounded by the records that are in work.
        var failures: [KafkaTopicPartition: [KafkaOffset: Failure]] = [:]
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) { self.limits = limits }

    /// The receiver accepted the record.
    func accepted(_ record: KafkaRecord) {
        state.withLock { state in
            state.accepted &+= 1
            state.failures[record.topicPartition]?[record.offset] = nil
        }
    }

    /// The receiver accepted once more what it had accepted before: it is up, and fails at what it fails at.
    func acceptedAgain() { state.withLock { $0.accepted &+= 1 } }

    /// Whether the record has failed for long enough, and only an acceptance is missing that shows the receiver to be up.
    /// Never while many records fail: then the receiver is at fault, whatever it says to what it has.
    ///
    /// - Parameter now: monotonic nanoseconds.
    func lacksAcceptance(_ record: KafkaRecord, at now: UInt64) -> Bool {
        state.withLock { state in
            guard let failure = state.failures[record.topicPartition]?[record.offset],
                failure.accepted == state.accepted,
                state.failures.values.map(\.count).reduce(0, +) <= Self.maximumFailing
            else { return false }
            return Duration.nanoseconds(Int64(clamping: now &- failure.first)) >= limits.time
        }
    }

    /// So many records at once may be at fault without an acceptance of another.
    static let maximumFailing = 4

    /// The receiver failed at the record.
    ///
    /// - Parameter now: monotonic nanoseconds.
    /// - Returns: whether the record is at fault. It is forgotten then.
    func failed(_ record: KafkaRecord, at now: UInt64) -> Bool {
        state.withLock { state in
            let accepted = state.accepted
            guard var failure = state.failures[record.topicPartition]?[record.offset] else {
                state.failures[record.topicPartition, default: [:]][record.offset] = Failure(
                    accepted: accepted, first: now)
                return false
            }
            if failure.accepted != accepted {
                failure.count += 1
                failure.accepted = accepted
            }
            let lasted = Duration.nanoseconds(Int64(clamping: now &- failure.first))
            let isAtFault = failure.count >= limits.count && lasted >= limits.time
            state.failures[record.topicPartition]?[record.offset] = isAtFault ? nil : failure
            return isAtFault
        }
    }

    /// What is known of a partition's records goes with the partition.
    func forget(_ partition: KafkaTopicPartition) {
        state.withLock { $0.failures[partition] = nil }
    }
}
