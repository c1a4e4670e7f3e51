internal import Kafka
internal import Synchronization

/// Limits on the unfinished records of one partition.
struct WindowLimits: Sendable {
    let records: Int
    let bytes: Int
    let distance: Int64
}

/// Tracks the unfinished records of one assigned partition. The reader admits records; handler calls finish them. Only
/// one reader waits at a time.
final class PartitionWindow: Sendable {
    /// The capacity for further records.
    struct Room: Sendable, Equatable {
        let records: Int
        let bytes: Int
    }

    /// The unfinished records of a partition.
    struct Load: Sendable, Equatable {
        let records: Int
        let oldestOffset: Int64?
        /// The time at which the oldest unfinished record was admitted, in monotonic nanoseconds.
        let oldestAdmittedAt: Int64?
        /// The Kafka timestamp of the oldest unfinished record, in milliseconds since 1970.
        let oldestTimestampMilliseconds: Int64?
        /// The Kafka timestamp of the newest record read, whether finished or not.
        let newestTimestampMilliseconds: Int64?
    }

    private struct State {
        var tracker = OffsetTracker()
        var waiter: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let limits: WindowLimits
    private let share: WindowShare?
    private let state = Mutex(State())

    /// - Parameter share: the memory limit shared with other partitions.
    init(limits: WindowLimits, share: WindowShare? = nil) {
        self.limits = limits
        self.share = share
    }

    /// Adds records that were read, in ascending offset order.
    ///
    /// - Returns: the admitted records. Records whose offset is not greater than all earlier offsets are omitted.
    func admit(_ records: [KafkaRecord]) -> [KafkaRecord] {
        let now = MonotonicClock.nanoseconds()
        return state.withLock { state in
            records.filter { record in
                state.tracker.admit(
                    offset: record.offset.rawValue, bytes: record.payloadBytes,
                    timestampMilliseconds: record.timestampMilliseconds, at: now)
            }
        }
    }

    /// Marks a record as finished.
    ///
    /// - Returns: the offset to store if the finished prefix grew, otherwise nil.
    func finish(_ offset: KafkaOffset) -> KafkaOffset? {
        let (next, waiter) = state.withLock { state -> (Int64?, CheckedContinuation<Void, Never>?) in
            let next = state.tracker.finish(offset: offset.rawValue)
            return (next, room(in: state) == nil ? nil : state.waiter.take())
        }
        waiter?.resume()
        return next.map(KafkaOffset.init(rawValue:))
    }

    /// The capacity for further records, or nil if the window is full.
    var room: Room? { state.withLock { room(in: $0) } }

    /// Waits until the window has capacity. Returns nil if the window was closed.
    func waitForRoom() async -> Room? {
        while true {
            let (room, isClosed) = state.withLock { (self.room(in: $0), $0.isClosed) }
            if isClosed { return nil }
            if let room { return room }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    if state.isClosed || self.room(in: state) != nil { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }

    /// Ends the reader's wait because a record was abandoned and will not be completed in this assignment.
    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// The current unfinished records.
    var load: Load {
        state.withLock { state in
            Load(
                records: state.tracker.unfinishedCount, oldestOffset: state.tracker.oldestOffset,
                oldestAdmittedAt: state.tracker.oldestAdmittedAt,
                oldestTimestampMilliseconds: state.tracker.oldestTimestampMilliseconds,
                newestTimestampMilliseconds: state.tracker.newestTimestampMilliseconds)
        }
    }

    private func room(in state: borrowing State) -> Room? {
        var records = limits.records - state.tracker.unfinishedCount
        var bytes = limits.bytes - state.tracker.unfinishedBytes
        if let shared = share?.room(besides: state.tracker.unfinishedCount, bytes: state.tracker.unfinishedBytes) {
            records = min(records, shared.records)
            bytes = min(bytes, shared.bytes)
        }
        guard records > 0, bytes > 0, state.tracker.distance < limits.distance else { return nil }
        return Room(records: records, bytes: bytes)
    }
}
