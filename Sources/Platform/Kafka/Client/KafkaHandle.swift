internal import CRdKafka
package import Dispatch
package import Primitives
internal import Synchronization

/// Owns a librdkafka client and its queue, and empties the queue whenever events arrive. A consumer has many queues, so
/// it uses a descriptor watched by Dispatch. A producer uses a thread that waits in librdkafka, which saves two thread
/// switches for each batch of delivery reports.
///
/// The life cycle is `init`, `start` (once), and the last release. Only the last release destroys the client. Code that
/// calls librdkafka holds a reference, so the client cannot be freed during the call. Destroying the client may block,
/// so it happens on a separate queue; use `released` to wait for it with a time limit.
///
/// All handlers run on `home`, one at a time.
package final class KafkaHandle: Sendable {
    /// The kind of client.
    package enum Kind {
        case producer
        case consumer
    }

    /// Event handlers. All run on the queue `home`; a producer's own thread runs its handlers there with `home.sync`.
    package struct Handlers: Sendable {
        /// Handles log lines, errors and statistics.
        var clientEvent: @Sendable (KafkaClientEvent) -> Void
        /// Handles every other event: delivery reports, rebalances, commits. The event is destroyed after the call.
        var event: @Sendable (EventPointer) -> Void
        /// Called when the queue is empty after a wake-up, so that a single wake-up can serve other queues too.
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

    /// The client, destroyed only in `deinit`.
    package let client: ClientPointer
    /// A producer's main queue, or a consumer's consumer queue. Released in `deinit`.
    let queue: QueuePointer
    /// The queue on which all handlers run.
    let home: DispatchQueue
    /// Completes when the client is destroyed.
    package let released = Completion()

    /// The eventfd that librdkafka writes to. It is closed by the source's cancel handler, or by `deinit` if there is
    /// no source.
    private let descriptor: Int32
    private let source = Mutex<ReadSource?>(nil)
    private let kind: Kind
    private let thread = Mutex<QueueThread?>(nil)
    private let tokens: TokenRefresh
    /// Must outlive the client, because the client's threads use it.
    private let certificates = CertificateVerdict()
    private let troubles = Mutex(KafkaTroubleRecord())

    /// Creates a client with these settings. No event is delivered before `start`.
    ///
    /// - Parameter tokens: called when librdkafka requests a token; nil if librdkafka requests its own tokens or needs
    ///   none.
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
            throw KafkaError(.invalidArgument, "eventfd failed: no file descriptors are left", isRetriable: true)
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
            // From here on, the main queue is forwarded to the consumer queue.
            rd_kafka_poll_set_consumer(client.raw)
            queue = QueuePointer(raw: rd_kafka_queue_get_consumer(client.raw))
        }
        rd_kafka_set_log_queue(client.raw, queue.raw)
        self.client = client
        self.descriptor = descriptor
        self.home = home
        self.kind = kind
    }

    /// Starts delivering events, including queued ones. Call it once.
    package func start(_ handlers: Handlers) {
        switch kind {
        case .producer:
            // Fall back to Dispatch if the system cannot create a thread.
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
        // Events that were queued before wake-ups were enabled have not caused a wake-up.
        wakeUp()
    }

    /// Enables wake-ups for another queue of this client, such as a partition's queue. Disable them before releasing
    /// the queue.
    func enableWakeUp(of queue: QueuePointer) { crdkafka_wakeup_enable(queue.raw, descriptor) }

    /// Disables wake-ups for a queue. No more occur after the call returns.
    func disableWakeUp(of queue: QueuePointer) { crdkafka_wakeup_disable(queue.raw) }

    /// Causes a wake-up, as librdkafka does. Can be called from any thread.
    func wakeUp() { crdkafka_wakeup_set(descriptor) }

    /// Clears the descriptor and then polls the queue until it is empty. librdkafka writes to the descriptor only when
    /// the queue becomes non-empty, so it would never announce an entry that is left in the queue. Runs on `home`.
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

    /// The most specific problem with the brokers, or nil if there is none.
    var trouble: KafkaTrouble? { troubles.withLock { $0.trouble(at: Int64(clamping: monotonicNow())) } }

    /// Records an error, or that a broker is connected. Adds the reason to an error about a certificate.
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

    /// Replaces a timeout with its cause, if known.
    func explained(_ error: KafkaError) -> KafkaError {
        let isSilence = [.timedOut, .transport, .allBrokersDown].contains(error.code)
        guard isSilence, let trouble, trouble.cause != .denied else { return error }
        return KafkaError(trouble)
    }

    /// Keeps the client alive until the process exits, because it cannot be destroyed.
    func neverDestroy() {
        crdkafka_wakeup_disable(queue.raw)
        _ = Unmanaged.passRetained(self)
    }

    deinit {
        // Nothing writes to the descriptor after this.
        crdkafka_wakeup_disable(queue.raw)
        let source = source.withLock { $0 }
        if let source { source.source.cancel() } else { crdkafka_wakeup_close(descriptor) }
        let thread = thread.withLock { $0 }
        thread?.end()
        let (client, queue, released, certificates) = (client, queue, released, certificates)
        DispatchQueue(label: "kafka.destroy").async {
            thread?.waitForEnd()
            rd_kafka_queue_destroy(queue.raw)
            // The owner is responsible for closing a consumer. If it has not done so, destroying the client must not
            // wait for a close.
            withExtendedLifetime(certificates) {
                rd_kafka_destroy_flags(client.raw, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
            }
            released.complete()
        }
    }
}
