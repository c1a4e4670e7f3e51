internal import Concurrency
internal import Synchronization

extension KafkaProducer {
    /// What a producer is doing, at one moment.
    public struct Status: Hashable, Sendable {
        /// Counts the librdkafka clients that this producer has used, from 1; more than 1 means that a fatal error was
        /// survived.
        public let generation: Int
        /// Records whose delivery report is still to come.
        public let recordsInFlight: Int
        /// Their bytes.
        public let bytesInFlight: Int
        /// Brokers that are connected, by the last statistics; `nil` before the first.
        public let brokersUp: Int?
        /// Sends are worth trying. While `false` they are refused at once with `brokersUnavailable`, except one probe
        /// each second.
        public let isAvailable: Bool
        /// Declared topics that do not exist or that no broker has answered for yet, sorted.
        public let missingTopics: [KafkaTopic]
        /// The missing topics that this user may not describe: brokers do not tell whether they exist.
        public let deniedTopics: [KafkaTopic]
        /// Why no broker is connected, or what the brokers deny; nil when nothing is known of it.
        public let trouble: KafkaTrouble?
        /// Delivery reports that came after their callers' deadlines.
        public let lateReports: Int
        /// The brokers know all declared topics, and the producer is neither being replaced nor closed.
        public let isReady: Bool
    }

    /// The present status. Cheap; from any thread.
    public var status: Status {
        state.withLock { state in
            let missing = state.generation?.missingTopics ?? Set(topics)
            return Status(
                generation: state.generationNumber, recordsInFlight: state.pending.count,
                bytesInFlight: state.pending.bytes, brokersUp: state.brokersUp,
                isAvailable: state.generation != nil && !state.isClosing && !state.breaker.isOpen,
                missingTopics: missing.sorted { $0.rawValue < $1.rawValue },
                deniedTopics: (state.generation?.deniedTopics ?? []).sorted { $0.rawValue < $1.rawValue },
                trouble: state.generation?.handle.trouble, lateReports: state.lateReports,
                isReady: state.generation != nil && !state.isClosing && missing.isEmpty)
        }
    }

    /// Whether a send is worth trying now, without taking the probe: the same as `status.isAvailable`, cheaper.
    public var isAvailable: Bool {
        state.withLock { $0.generation != nil && !$0.isClosing && !$0.breaker.isOpen }
    }

    /// Refuses new sends, waits until everything in flight is reported or `limit` has passed, ends what is left (its
    /// sends fail), and destroys the client. Returns at most three seconds after `limit`. Further calls do nothing more.
    public func close(within limit: Duration) async {
        state.withLock { state in
            state.isClosing = true
            completeDrainIfEmpty(state)
        }
        if await !drained.wait(within: limit) {
            purgeAll()
            _ = await drained.wait(within: .seconds(1))
        }
        for released in letGo() { _ = await released.wait(within: .seconds(2)) }
    }

    private func purgeAll() {
        for generation in state.withLock({ $0.retired + [$0.generation].compactMap { $0 } }) { generation.purge() }
    }

    /// Ends what is left and drops the clients; in a function of its own, so that no reference outlives it.
    private func letGo() -> [Completion] {
        let (generations, waiters) = state.withLock { state in
            defer {
                state.retired = []
                state.generation = nil
            }
            return (state.retired + [state.generation].compactMap { $0 }, state.pending.removeAll())
        }
        stopTimer()
        let error = KafkaError(
            .closed, "the producer was closed before the record was acknowledged", persistence: .maybe)
        for waiter in waiters { waiter.complete(.failure(error)) }
        return generations.map { $0.handle.released }
    }
}
