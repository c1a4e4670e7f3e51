internal import Kafka
internal import Primitives
internal import Synchronization

/// Distinguishes a record that the receiver cannot process from a receiver that is down. A record is at fault if it has
/// failed often and over a long time while others were accepted.
final class RecordFailures: Sendable {
    /// The limits beyond which a record is at fault.
    struct Limits: Sendable, Equatable {
        /// The minimum number of failures. A failure counts only if the receiver has accepted another record since the
        /// previous one.
        let count: Int
        /// The minimum time since the first failure.
        let time: Duration
    }

    private struct Failure {
        var count = 1
        /// The number of records accepted up to the last failure that counted.
        var accepted: UInt64
        /// The time of the first failure in monotonic nanoseconds, which is negative if it was before this machine
        /// booted.
        let first: Int64

        /// Returns how long the record has been failing.
        func lasted(until now: UInt64) -> Duration { .nanoseconds(max(0, Int64(clamping: now) &- first)) }
    }

    private struct State {
        var accepted: UInt64 = 0
        /// Failures by record. Bounded by the number of records in progress.
        var failures: [KafkaTopicPartition: [KafkaOffset: Failure]] = [:]
        /// Records that failed more than once, including those in partitions now assigned to other members.
        var kept: [KeptFailure.Record: KeptFailure] = [:]
    }

    private let limits: Limits
    private let file: FailuresFile?
    private let clocks: Clocks
    private let state = Mutex(State())
    /// Serializes writers, so that a later write contains newer failures.
    private let writing = Mutex(())
    /// The maximum age of a failure in milliseconds. By then, the record has been accepted or dead-lettered, or its
    /// partition has been assigned to another member.
    private static let maximumAge: Int64 = 8 * 86_400_000

    /// - Parameter file: the file that keeps failures across restarts, or nil to store none.
    init(_ limits: Limits, file: FailuresFile? = nil, clocks: Clocks = .system) {
        self.limits = limits
        self.file = file
        self.clocks = clocks
        let oldest = clocks.wallMilliseconds() - Self.maximumAge
        for failure in file?.read() ?? [] where failure.first > oldest {
            state.withLock { $0.kept[failure.record] = failure }
        }
    }

    /// Counts a record that the receiver accepted, and removes the record's failures.
    func accepted(_ record: KafkaRecord) {
        let wasKept = state.withLock { state in
            state.accepted &+= 1
            state.failures[record.topicPartition]?[record.offset] = nil
            return !state.kept.isEmpty && state.kept.removeValue(forKey: .init(record)) != nil
        }
        if wasKept { write() }
    }

    /// Counts an accepted probe. The receiver is up, so the failing records are at fault.
    func acceptedAgain() { state.withLock { $0.accepted &+= 1 } }

    /// Returns whether a record has been failing for so long that the only evidence still missing is the acceptance of
    /// another record, which would show that the receiver is up. Always false while many records are failing: the
    /// receiver is then at fault even if it accepts probes.
    ///
    /// - Parameter now: the current time in monotonic nanoseconds.
    func lacksAcceptance(_ record: KafkaRecord, at now: UInt64) -> Bool {
        state.withLock { state in
            guard let failure = state.failures[record.topicPartition]?[record.offset],
                failure.accepted == state.accepted,
                state.failures.values.map(\.count).reduce(0, +) <= Self.maximumFailing
            else { return false }
            return failure.lasted(until: now) >= limits.time
        }
    }

    /// The maximum number of concurrently failing records at which an accepted probe proves that the receiver is up.
    static let maximumFailing = 4

    /// Handles a record that the receiver failed to process.
    ///
    /// - Parameter now: the current time in monotonic nanoseconds.
    /// - Returns: whether the record is at fault, in which case its recorded failures are removed.
    func failed(_ record: KafkaRecord, at now: UInt64) -> Bool {
        let (isAtFault, isChanged) = state.withLock { state in
            let accepted = state.accepted
            let name = KeptFailure.Record(record)
            guard
                var failure = state.failures[record.topicPartition]?[record.offset]
                    ?? state.kept[name].map({ failure(of: $0, accepted: accepted, at: now) })
            else {
                state.failures[record.topicPartition, default: [:]][record.offset] = Failure(
                    accepted: accepted, first: Int64(clamping: now))
                return (false, false)
            }
            let isCounted = failure.accepted != accepted
            if isCounted {
                failure.count += 1
                failure.accepted = accepted
            }
            let lasted = failure.lasted(until: now)
            let isAtFault = failure.count >= limits.count && lasted >= limits.time
            state.failures[record.topicPartition, default: [:]][record.offset] = isAtFault ? nil : failure
            if isAtFault { return (true, state.kept.removeValue(forKey: name) != nil) }
            guard isCounted, state.kept[name] != nil || state.kept.count < FailuresFile.maximumCount else {
                return (false, false)
            }
            let first = clocks.wallMilliseconds() - Int64(lasted / .milliseconds(1))
            state.kept[name] = KeptFailure(record: name, count: failure.count, first: first)
            return (false, true)
        }
        if isChanged { write() }
        return isAtFault
    }

    /// Restores a failure from an earlier process or assignment. The next failure counts only if the receiver accepts
    /// another record after this call.
    private func failure(of kept: KeptFailure, accepted: UInt64, at now: UInt64) -> Failure {
        let age = min(max(0, clocks.wallMilliseconds() - kept.first), Self.maximumAge)
        return Failure(count: kept.count, accepted: accepted, first: Int64(clamping: now) &- age * 1_000_000)
    }

    private func write() {
        guard let file else { return }
        writing.withLock { _ in file.write(state.withLock { Array($0.kept.values) }) }
    }

    /// Drops the failures of a revoked partition. Records that failed more than once remain in the file for the next
    /// assignment.
    func forget(_ partition: KafkaTopicPartition) {
        state.withLock { $0.failures[partition] = nil }
    }
}
