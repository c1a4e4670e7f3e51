internal import Dispatch
internal import Synchronization

extension KafkaProducer {
    /// The minimum lifetime of a generation in nanoseconds, so that an error that ends each generation immediately does
    /// not occupy a core.
    private static let shortestLife: UInt64 = 1_000_000_000
    /// The maximum wait for the delivery reports of a failed generation.
    private static let retirement = DispatchTimeInterval.seconds(3)
    private static let metadataInterval = DispatchTimeInterval.milliseconds(500)

    /// Creates a client for subsequent sends.
    func startGeneration() throws(KafkaError) {
        let number = state.withLock { $0.generationNumber + 1 }
        let generation = try ProducerGeneration(
            number: number, configuration: configuration, topics: topics, home: home)
        let isWanted = state.withLock { state in
            if state.isClosing { return false }
            state.generation = generation
            state.generationNumber = number
            state.lastStart = monotonicNow()
            return true
        }
        guard isWanted else { return }
        generation.handle.start(
            KafkaHandle.Handlers(
                clientEvent: { [weak self] in self?.received($0, fromGeneration: number) },
                event: { [weak self] in self?.deliver($0, ofGeneration: number) },
                drained: { [weak self] in self?.releaseRetired() }))
        fetchMetadata(ofGeneration: number)
    }

    /// Simulates a fatal error in librdkafka, to test the replacement.
    func failFatally() {
        state.withLock { $0.generation }?.failFatally(.outOfOrderSequence, reason: "requested by a test")
    }

    /// Queries the topics' metadata until it is complete.
    private func fetchMetadata(ofGeneration number: Int) {
        metadataQueue.async { [weak self] in
            guard let self, let generation = state.withLock({ $0.generation }), generation.number == number else {
                return
            }
            generation.fetchMetadata()
            guard !generation.missingTopics.isEmpty else { return }
            metadataQueue.asyncAfter(deadline: .now() + Self.metadataInterval) { [weak self] in
                self?.fetchMetadata(ofGeneration: number)
            }
        }
    }

    /// Handles a client event. Runs on `home`.
    private func received(_ event: KafkaClientEvent, fromGeneration number: Int) {
        switch event {
        case .error(let error, _) where error.isFatal:
            replace(number, because: error)
        case .error(let error, _) where error.code == .allBrokersDown:
            state.withLock { $0.breaker.allBrokersDown(at: monotonicNow()) }
        case .statistics(let statistics):
            state.withLock { state in
                guard state.generation?.number == number else { return }
                state.brokersUp = statistics.brokersUp
                state.breaker.statistics(
                    brokersUp: statistics.brokersUp, recordsInFlight: state.pending.count, at: monotonicNow())
            }
        default: break
        }
        onEvent(event)
    }

    /// Schedules a replacement on `home` after a send on a caller's thread failed with a fatal error.
    func replaceLater(_ number: Int, because error: KafkaError) {
        home.async { [weak self] in self?.replace(number, because: error) }
    }

    /// Retires a generation and creates the next one, once for each failed generation. Runs on `home`.
    private func replace(_ number: Int, because error: KafkaError) {
        let (failed, wait) = state.withLock { state -> (ProducerGeneration?, UInt64) in
            guard let generation = state.generation, generation.number == number else { return (nil, 0) }
            state.generation = nil
            state.retired.append(generation)
            let life = monotonicNow() - state.lastStart
            return (generation, life < Self.shortestLife ? Self.shortestLife - life : 0)
        }
        guard let failed else { return }
        failed.purge()
        home.asyncAfter(deadline: .now() + Self.retirement) { [weak self] in self?.abandon(number) }
        restart(after: .nanoseconds(Int(wait)), because: error)
    }

    private func restart(after wait: DispatchTimeInterval, because error: KafkaError) {
        home.asyncAfter(deadline: .now() + wait) { [weak self] in
            guard let self, !state.withLock({ $0.isClosing }) else { return }
            do throws(KafkaError) {
                try startGeneration()
                onEvent(.producerReplaced(generation: status.generation, because: error))
            } catch let failure {
                onEvent(.error(failure, place: nil))
                restart(after: .seconds(1), because: error)
            }
        }
    }

    /// Releases failed generations without outstanding reports. The last release destroys the client. Runs on `home`.
    private func releaseRetired() {
        state.withLock { state in
            guard !state.retired.isEmpty else { return }
            state.retired.removeAll { !state.pending.contains(generation: $0.number) }
        }
    }

    /// Stops waiting for late reports of a failed generation. Runs on `home`.
    private func abandon(_ number: Int) {
        let waiters = state.withLock { state in
            state.retired.removeAll { $0.number == number }
            let waiters = state.pending.removeAll(ofGeneration: number)
            completeDrainIfEmpty(state)
            return waiters
        }
        let text = "the producer failed permanently and was replaced"
        let error = KafkaError(.producerReplaced, text, persistence: .maybe)
        for waiter in waiters { waiter.complete(.failure(error)) }
    }
}
