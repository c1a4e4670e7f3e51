internal import CRdKafka
internal import Dispatch
internal import Primitives

extension KafkaConsumer {
    /// Revokes all partitions (draining and committing as in a rebalance), leaves the group and closes the client.
    ///
    /// A member that has not received its first assignment waits for it for half of `limit`, but at most 5 s. If the
    /// assignment does not arrive, for example in a busy group, the closed client is never destroyed. librdkafka up to
    /// 2.2 would otherwise abort the process (librdkafka issue 4312). A static member (`groupInstanceId`) does not
    /// leave the group, because it is expected to return.
    ///
    /// - Returns: whether the consumer was closed within `limit`. If false, the client is leaked, and the process
    ///   should end soon.
    @discardableResult
    public func close(within limit: Duration) async -> Bool {
        switch phase {
        case .created:
            phase = .closed
            return true
        case .closed:
            return true
        case .closing:
            return await closed.wait(within: limit)
        case .running:
            break
        }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        if case .group = source { _ = await firstAssignment.wait(within: min(limit / 2, .seconds(5))) }
        guard phase == .running else { return await closed.wait(within: deadline - clock.now) }
        phase = .closing
        switch source {
        case .group: await giveBack(within: deadline - clock.now)
        case .partitions: stopReading(because: KafkaError(.closed, "the consumer was closed"))
        }
        closeClient()
        let isClosed = await closed.wait(within: max(.milliseconds(100), deadline - clock.now))
        if case .group = source, !firstAssignment.isComplete {
            handle?.neverDestroy()
            finishClosing()
            return isClosed
        }
        let released = handle?.released
        finishClosing()
        guard isClosed, let released else { return isClosed }
        return await released.wait(within: max(.milliseconds(100), deadline - clock.now))
    }

    /// Lets the owners of all partitions finish, and then commits the stored offsets before leaving the group, because
    /// the embedded broker rejects commits while members are leaving.
    private func giveBack(within limit: Duration) async {
        let states = Array(partitions.values)
        await withCheckedContinuation { continuation in
            drain(states, within: min(options.drainLimit, limit * 0.6)) { [self] in
                commit(states, within: min(options.commitLimit, limit * 0.2)) { _ in continuation.resume() }
            }
        }
    }

    private func closeClient() {
        guard let handle, let raw = rd_kafka_queue_new(handle.client.raw) else { return closed.complete() }
        let queue = QueuePointer(raw: raw)
        handle.enableWakeUp(of: queue)
        closeQueue = queue
        if let error = rd_kafka_consumer_close_queue(handle.client.raw, queue.raw) {
            emit(.error(KafkaError(taking: error, during: "closing the consumer")))
            return closed.complete()
        }
        watchClosing()
    }

    /// Polls until the client is closed, because librdkafka reports no event for this.
    private func watchClosing() {
        guard let handle, !closed.isComplete else { return }
        handle.wakeUp()
        after(.milliseconds(20)) { $0.watchClosing() }
    }
}
