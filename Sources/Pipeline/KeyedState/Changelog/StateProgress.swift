internal import Kafka
internal import Synchronization

/// The progress of reading a state's topics, and the tasks that wait for it.
final class StateProgress: Sendable {
    private struct Waiter {
        let partition: KafkaTopicPartition
        let next: Int64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var next: [KafkaTopicPartition: Int64] = [:]
        /// Partitions that are being read or will be read.
        var followed: Set<KafkaTopicPartition> = []
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    func reached(_ next: Int64, in partition: KafkaTopicPartition) {
        let ready = state.withLock { state -> [Waiter] in
            state.next[partition] = next
            let ready = state.waiters.filter { $0.value.partition == partition && $0.value.next <= next }
            for id in ready.keys { state.waiters[id] = nil }
            return Array(ready.values)
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    /// Sets the offset at which reading begins, and discards progress in an earlier topic of the same name.
    func restart(at next: Int64, of partition: KafkaTopicPartition) {
        state.withLock { $0.next[partition] = next }
    }

    func follow(_ partition: KafkaTopicPartition) {
        state.withLock { _ = $0.followed.insert(partition) }
    }

    /// Stops following the partition and ends all waits for it.
    func unfollow(_ partition: KafkaTopicPartition) {
        let waiters = state.withLock { state -> [Waiter] in
            state.followed.remove(partition)
            let waiters = state.waiters.filter { $0.value.partition == partition }
            for id in waiters.keys { state.waiters[id] = nil }
            return Array(waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// Returns whether publications to the partition will be read back.
    func isFollowed(_ partition: KafkaTopicPartition) -> Bool { state.withLock { $0.followed.contains(partition) } }

    /// Returns whether a task is waiting for the partition.
    func isAwaited(_ partition: KafkaTopicPartition) -> Bool {
        state.withLock { state in state.waiters.values.contains { $0.partition == partition } }
    }

    /// Ends all waits, because nothing more will be read.
    func end() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isOver = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// Waits until all records before `next` have been read.
    ///
    /// - Returns: false if the task is cancelled, reading has ended, or the partition is not followed.
    func wait(for next: Int64, of partition: KafkaTopicPartition) async -> Bool {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.next[partition] ?? -1 >= next { return true }
                    if state.isOver || Task.isCancelled || !state.followed.contains(partition) { return false }
                    state.waiters[id] = Waiter(partition: partition, next: next, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
    }

    func next(of partition: KafkaTopicPartition) -> Int64? { state.withLock { $0.next[partition] } }
}
