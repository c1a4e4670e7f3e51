internal import CRdKafka
package import Concurrency
package import Dispatch
internal import Synchronization

/// Owns a librdkafka client, its queue, and what wakes us up when the queue fills: for a consumer, which has many queues,
/// a descriptor that Dispatch watches; for a producer a thread that waits in librdkafka, which spares each batch of
/// reports two hops between threads.
///
/// Life: `init`, `start` (once), and the last release, which alone destroys the client: code
/// inside a call to librdkafka holds a reference, so the client cannot be freed during the call. Destroying may block, so it
/// runs on a queue of its own; wait for it, bounded, with `released`.
///
/// All handlers run on `home`, one at a time.
package final class KafkaHandle: Sendable {
    /// Which kind of client.
    package enum Kind {
        case producer
        case consumer
    }

    /// What `start` is given; all are called on `home`, or, of a producer, on its own thread while `home` waits.
    package struct Handlers: Sendable {
        /// Log lines, errors, statistics.
        var clientEvent: @Sendable (KafkaClientEvent) -> Void
        /// Every other event: delivery reports, rebalances, commits. It is destroyed after the call.
        var event: @Sendable (EventPointer) -> Void
        /// After each wake-up, when the queue is empty: for further queues on the same wake-up.
        var drained: @Sendable () -> Void

        package init(
            clientEvent: @escaping @Sendable (KafkaClientEvent) -> Void,
            event: @escaping @Sendable (EventPointer) -> Void = { _ in },
            drained: @escaping @Sendable () -> Void = {}
        ) {
            self.clientEvent = clientEvent
            self.event = event
            self.drained = drained
        }
    }

    /// The client. Destroyed in `deinit`, nowhere else.
    package let client: ClientPointer
    /// The main queue of a producer, the consumer queue of a consumer. Released in `deinit`.
    let queue: QueuePointer
    /// Where all handlers run.
    let home: DispatchQueue
    /// Turns complete when the client is destroyed.
    package let released = Completion()

    /// The eventfd that librdkafka writes to. Closed by the source's cancel handler, or in `deinit` without a source.
    private let descriptor: Int32
    private let source = Mutex<ReadSource?>(nil)
    private let kind: Kind
    private let thread = Mutex<QueueThread?>(nil)
    private let tokens: TokenRefresh
    /// Retained until the client is destroyed, whose threads use it.
    private let certificates = CertificateVerdict()
    private let troubles = Mutex(KafkaTroubleRecord())

    /// A client with these settings; nothing is delivered before `start`.
    ///
    /// - Parameter tokens: asked when librdkafka wants a token; nil where it gets its own, or needs none.
    /// - Throws: `invalidConfiguration`.
    package init(
        _ kind: Kind, settings: [ClientProperty], tokens: KafkaTokenSource? = nil, home: DispatchQueue
    ) throws(KafkaError) {
        let configuration = try ClientSettings(settings)
        self.tokens = TokenRefresh(source: tokens)
        var events = RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_STATS | RD_KAFKA_EVENT_LOG
        if tokens != nil { events |= RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH }
        switch kind {
        case .producer: events |= RD_KAFKA_EVENT_DR
        case .consumer: events |= RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT
        }
        configuration.setEvents(events)
        configuration.observe(certificates)
        let descriptor = crdkafka_wakeup_open()
        guard descriptor >= 0 else {
            throw KafkaError(.invalidArgument, "eventfd failed: no file descriptor is left", isRetriable: true)
        }
        let client: ClientPointer
        do {
            client = try configuration.makeClient(kind == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER)
        } catch {
            crdkafka_wakeup_close(descriptor)
            throw error
        }
        switch kind {
        case .producer:
            queue = QueuePointer(raw: rd_kafka_queue_get_main(client.raw))
        case .consumer:
            // From here on the main queue is forwarded to the consumer queue.
            rd_kafka_poll_set_consumer(client.raw)
            queue = QueuePointer(raw: rd_kafka_queue_get_consumer(client.raw))
        }
        rd_kafka_set_log_queue(client.raw, queue.raw)
        self.client = client
        self.descriptor = descriptor
        self.home = home
        self.kind = kind
    }

    /// Starts to deliver what the queue holds and what comes later. Called once, by the owner.
    package func start(_ handlers: Handlers) {
        switch kind {
        case .producer:
            // Where the system has no thread left, Dispatch does it.
            let thread = QueueThread(queue, home: home) { [weak self] event in
                if let self { handle(event, handlers) } else { event?.destroy() }
            }
            if let thread { self.thread.withLock { $0 = thread } } else { startSource(handlers) }
        case .consumer: startSource(handlers)
        }
    }

    private func startSource(_ handlers: Handlers) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: home)
        let descriptor = descriptor
        source.setEventHandler { [weak self] in self?.drain(handlers) }
        source.setCancelHandler { crdkafka_wakeup_close(descriptor) }
        self.source.withLock { $0 = ReadSource(source: source) }
        source.activate()
        enableWakeUp(of: queue)
        // What came before the wake-up was enabled has caused none.
        wakeUp()
    }

    /// Lets another queue of this client cause wake-ups, such as that of a partition. Disable it before giving it up.
    func enableWakeUp(of queue: QueuePointer) { crdkafka_wakeup_enable(queue.raw, descriptor) }

    /// After it returns the queue causes no wake-up any more.
    func disableWakeUp(of queue: QueuePointer) { crdkafka_wakeup_disable(queue.raw) }

    /// Has the queues looked at soon, as if librdkafka had asked for it. From any thread.
    func wakeUp() { crdkafka_wakeup_set(descriptor) }

    /// On `home`. The descriptor is read first and the queue polled until it is empty: librdkafka writes only when the
    /// queue turns from empty to filled, so an entry left behind would never be announced.
    private func drain(_ handlers: Handlers) {
        crdkafka_wakeup_clear(descriptor)
        while let event = EventPointer(pollingFrom: queue) { handle(event, handlers) }
        handlers.drained()
    }

    private func handle(_ event: EventPointer?, _ handlers: Handlers) {
        guard let event else { return handlers.drained() }
        if event.type == RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH {
            tokens.begin(for: self)
        } else if let clientEvent = KafkaClientEvent(reading: event, of: client) {
            handlers.clientEvent(recorded(clientEvent))
        } else {
            handlers.event(event)
        }
        event.destroy()
    }

    /// The most telling trouble with the brokers; nil when there is none.
    var trouble: KafkaTrouble? { troubles.withLock { $0.trouble(at: Int64(clamping: monotonicNow())) } }

    /// The event, with the reason where it is about a certificate.
    private func recorded(_ event: KafkaClientEvent) -> KafkaClientEvent {
        switch event {
        case .error(let error, let place):
            let error = certificates.explained(error)
            troubles.withLock { $0.receive(error, at: Int64(clamping: monotonicNow())) }
            return .error(error, place: place)
        case .statistics(let statistics) where statistics.brokersUp > 0: troubles.withLock { $0.connect() }
        case .statistics, .log, .producerReplaced: break
        }
        return event
    }

    /// An error of a call that no broker answered, with the reason in place of the time that was waited.
    func explained(_ error: KafkaError) -> KafkaError {
        let isSilence = [.timedOut, .transport, .allBrokersDown].contains(error.code)
        guard isSilence, let trouble, trouble.cause != .denied else { return error }
        return KafkaError(trouble)
    }

    /// Keeps the client until the process ends, for one that cannot be destroyed.
    func neverDestroy() {
        crdkafka_wakeup_disable(queue.raw)
        _ = Unmanaged.passRetained(self)
    }

    deinit {
        // No more writes to the descriptor after this.
        crdkafka_wakeup_disable(queue.raw)
        let source = source.withLock { $0 }
        if let source { source.source.cancel() } else { crdkafka_wakeup_close(descriptor) }
        let thread = thread.withLock { $0 }
        thread?.end()
        let (client, queue, released, certificates) = (client, queue, released, certificates)
        DispatchQueue(label: "kafka.destroy").async {
            thread?.waitForEnd()
            rd_kafka_queue_destroy(queue.raw)
            // A consumer is closed by its owner; one that was not must not be waited for here.
            withExtendedLifetime(certificates) {
                rd_kafka_destroy_flags(client.raw, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
            }
            released.complete()
        }
    }
}
