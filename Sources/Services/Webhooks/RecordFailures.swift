internal import Kafka
internal import Synchronization
internal import Time

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
        /// Monotonic nanoseconds; below 0 where it was before the start of this machine.
        let first: Int64

        /// How long the record has failed.
        func lasted(until now: UInt64) -> Duration { .nanoseconds(max(0, Int64(clamping: now) &- first)) }
    }

    private struct State {
        var accepted: UInt64 = 0
        /// Bounded by the records that are in work.
        var failures: [KafkaTopicPartition: [KafkaOffset: Failure]] = [:]
        /// Records that failed more than once, also those of partitions that another member has meanwhile.
        var kept: [KeptFailure.Record: KeptFailure] = [:]
    }

    private let limits: Limits
    private let file: FailuresFile?
    private let clocks: Clocks
    private let state = Mutex(State())
    /// Orders the writers: the later one has the newer failures.
    private let writing = Mutex(())
    /// Milliseconds: a record that failed first so long ago was decided, or its partition went to another member.
    private static let maximumAge: Int64 = 8 * 86_400_000

    /// - Parameter file: failures of earlier processes, and those of this one for later ones; nil: none are kept.
    init(_ limits: Limits, file: FailuresFile? = nil, clocks: Clocks = .system) {
        self.limits = limits
        self.file = file
        self.clocks = clocks
        let oldest = clocks.wallMilliseconds() - Self.maximumAge
        for failure in file?.read() ?? [] where failure.first > oldest {
            state.withLock { $0.kept[failure.record] = failure }
        }
    }

    /// The receiver accepted the record.
    func accepted(_ record: KafkaRecord) {
        let wasKept = state.withLock { state in
            state.accepted &+= 1
            state.failures[record.topicPartition]?[record.offset] = nil
            return !state.kept.isEmpty && state.kept.removeValue(forKey: .init(record)) != nil
        }
        if wasKept { write() }
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
            return failure.lasted(until: now) >= limits.time
        }
    }

    /// So many records at once may be at fault without an acceptance of another.
    static let maximumFailing = 4

    /// The receiver failed at the record.
    ///
    /// - Parameter now: monotonic nanoseconds.
    /// - Returns: whether the record is at fault. It is forgotten then.
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

    /// A failure of an earlier process, or of an earlier assignment. No acceptance of that time counts again.
    private func failure(of kept: KeptFailure, accepted: UInt64, at now: UInt64) -> Failure {
        let age = min(max(0, clocks.wallMilliseconds() - kept.first), Self.maximumAge)
        return Failure(count: kept.count, accepted: accepted, first: Int64(clamping: now) &- age * 1_000_000)
    }

    private func write() {
        guard let file else { return }
        writing.withLock { _ in file.write(state.withLock { Array($0.kept.values) }) }
    }

    /// The partition is given back. Records that failed more than once go on where it is assigned again.
    func forget(_ partition: KafkaTopicPartition) {
        state.withLock { $0.failures[partition] = nil }
    }
}
