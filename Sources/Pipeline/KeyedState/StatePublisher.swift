internal import Kafka
internal import Synchronization
internal import Telemetry

/// Sends publications and waits until every one is acknowledged or refused.
final class StatePublisher: Sendable {
    /// Publications that were sent together.
    final class Group: Sendable {
        private struct State {
            var outstanding: Int
            var offsets: [Int64: Int64] = [:]
            var error: KafkaError?
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state: Mutex<State>

        init(count: Int) { state = Mutex(State(outstanding: count)) }

        func report(_ row: Int64, _ result: Result<KafkaDelivery, KafkaError>) {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                switch result {
                case .success(let delivery): state.offsets[row] = delivery.offset.rawValue
                case .failure(let error): state.error = state.error ?? error
                }
                state.outstanding -= 1
                return state.outstanding == 0 ? state.waiter.take() : nil
            }
            waiter?.resume()
        }

        /// The offsets by row of those that were acknowledged, and why another was not.
        func outcome() async -> (offsets: [Int64: Int64], error: KafkaError?) {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.outstanding > 0 { state.waiter = continuation }
                    return state.outstanding == 0
                }
                if isDone { continuation.resume() }
            }
            return state.withLock { ($0.offsets, $0.error) }
        }
    }

    private let producer: KafkaProducer

    /// - Throws: a `KafkaError` for what librdkafka refuses.
    init(_ kafka: KafkaConfiguration, topics: [KafkaTopic], logger: Logger) throws(KafkaError) {
        // Handed over in batches, so waiting for more costs time and brings nothing; and the input stays uncommitted
        // meanwhile, so there is time for a leader to move.
        let own = ["linger.ms": "1", "delivery.timeout.ms": "30000", "message.max.bytes": "1000000"]
        let log = RateLimitedLogger(logger, perSecond: 1)
        producer = try KafkaProducer(
            KafkaConfiguration(
                bootstrapServers: kafka.bootstrapServers,
                properties: kafka.properties.merging(own) { given, _ in given },
                profile: kafka.profile), topics: topics
        ) { event in
            guard case .error(let error, _) = event else { return }
            log.log(.warning, key: error.name, "state producer error", [LogField(.error, error.message)])
        }
    }

    /// Hands over; never blocks. Each goes to its own partition: the input's.
    func send<Model>(_ changes: [StateStore<Model>.Change]) -> Group {
        let group = Group(count: changes.count)
        for change in changes {
            producer.send(
                KafkaProducerRecord(
                    topic: change.partition.topic, partition: change.partition.partition,
                    timestampMilliseconds: change.timestamp, key: change.key, value: change.value),
                deadline: .seconds(35)
            ) { group.report(change.row, $0) }
        }
        return group
    }

    func close(within limit: Duration) async { await producer.close(within: limit) }
}
