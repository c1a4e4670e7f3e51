package import Kafka
internal import Synchronization

/// Whether an operator has paused the consumer group (`sluicectl pause`).
///
/// The runtime starts no handler call while the group is paused. Work outside the handler, such as a schedule,
/// continues unless it checks ``isPaused``.
public final class GroupPause: Sendable {
    private struct State {
        var record: ControlRecord?
        var resumedAt: Int64 = .min
        var lastId: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    package let group: KafkaConsumerGroup
    private let state = Mutex(State())

    package init(_ group: KafkaConsumerGroup) { self.group = group }

    /// Whether the group is paused.
    public var isPaused: Bool { record != nil }

    /// The record that paused the group, or nil if it is running.
    package var record: ControlRecord? { state.withLock(\.record) }

    /// The time at which the group was last resumed, in monotonic nanoseconds; `Int64.min` if it never was.
    var resumedAt: Int64 { state.withLock(\.resumedAt) }

    /// Pauses the group, or resumes it if the record is nil.
    ///
    /// - Returns: whether the state changed.
    func set(_ record: ControlRecord?) -> Bool {
        let (isChange, waiters) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            guard record != state.record else { return (false, []) }
            if record == nil { state.resumedAt = MonotonicClock.nanoseconds() }
            state.record = record
            guard record == nil else { return (true, []) }
            defer { state.waiters = [:] }
            return (true, Array(state.waiters.values))
        }
        for waiter in waiters { waiter.resume() }
        return isChange
    }

    /// Returns when the group is running or the task is cancelled.
    func untilRunning() async {
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // The cancellation handler misses a waiter added after it has run.
                    guard state.record != nil, !Task.isCancelled else { return false }
                    state.waiters[id] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}

/// The group was paused while a record was waiting, so the handler was not called.
struct GroupPaused: Error {}
