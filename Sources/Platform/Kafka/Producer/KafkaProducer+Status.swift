internal import Primitives
internal import Synchronization

extension KafkaProducer {
    /// A snapshot of a producer's state.
    public struct Status: Hashable, Sendable {
        /// The number of librdkafka clients that this producer has created, starting at 1. A number above 1 means that
        /// the producer has recovered from a fatal error.
        public let generation: Int
        /// The number of records without a delivery report.
        public let recordsInFlight: Int
        /// The size of the records in flight, in bytes.
        public let bytesInFlight: Int
        /// The number of connected brokers in the latest statistics, or nil before the first statistics.
        public let brokersUp: Int?
        /// Whether sends are attempted. False while the client is being replaced, after `close`, and while no broker
        /// seems to answer. Sends then fail at once; only in the last case, one probe per second is attempted.
        public let isAvailable: Bool
        /// Declared topics that do not exist or have no metadata yet, sorted.
        public let missingTopics: [KafkaTopic]
        /// Missing topics that this user may not describe. Brokers do not reveal whether these topics exist.
        public let deniedTopics: [KafkaTopic]
        /// Why no broker is connected, or which permission was denied; nil if neither is known.
        public let trouble: KafkaTrouble?
        /// The number of delivery reports that arrived after their callers' deadlines.
        public let lateReports: Int
        /// Whether the brokers know all declared topics and the producer is neither being replaced nor closed.
        public let isReady: Bool
    }

    /// The current status. Reading it is cheap and possible from any thread.
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

    /// The current value of ``Status/isAvailable``, without the cost of a full status. Does not use up the probe.
    public var isAvailable: Bool {
        state.withLock { $0.generation != nil && !$0.isClosing && !$0.breaker.isOpen }
    }

    /// Rejects new sends, waits until all sends in flight are reported or `limit` has passed, fails the remaining
    /// sends, and destroys the client. Returns at most three seconds after `limit`. Further calls have no effect.
    public func close(within limit: Duration) async {
        state.withLock { state in
            state.isClosing = true
            completeDrainIfEmpty(state)
        }
        if await !drained.wait(within: limit) {
            purgeAll()
            _ = await drained.wait(within: .seconds(1))
        }
        await Completion.wait(for: letGo(), within: .seconds(2))
    }

    private func purgeAll() {
        for generation in state.withLock({ $0.retired + [$0.generation].compactMap { $0 } }) { generation.purge() }
    }

    /// Fails the remaining sends and releases the clients. This is a separate function so that no local reference
    /// outlives it.
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
