internal import AppStoreModel
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import HTTPServer
internal import Kafka
internal import Lifecycle
internal import OperatorEvents
package import Primitives
internal import Publication
internal import Records
internal import ServiceKit
internal import Synchronization
package import Telemetry
package import Tracing

/// The ingress service: two listeners, verification workers and a producer.
///
/// Start order: check the topics, load Apple's certificates, then start the producer, the workers and the listeners.
/// Stop order (each component depends only on components that stop later): readiness turns off; the public listener
/// accepts connections for two more seconds, then answers the requests in progress; the workers end; the producer
/// drains; the admin listener closes.
package final class IngressService: Service {
    package let name = "ingress"

    private let settings: IngressConfiguration
    private let logger: Logger
    private let metrics: MetricsRegistry
    private let clocks: Clocks
    private let tracer: Tracer?
    private let sanity = ClockSanity()
    private let signedDates = SignedDates()
    private let drain = DrainSwitch()
    private let running = Mutex<Running?>(nil)
    /// Set before the first notification arrives and the first key table is created.
    private let events = Mutex<OperatorEvents?>(nil)

    private struct Running: Sendable {
        let verifier: NotificationVerifier
        let producer: KafkaProducer
        let workers: WorkerPool<NotificationWork>
        let publicServer: HTTPServer
        let adminServer: HTTPServer
        let client: HTTPClient
        let events: OperatorEventService?
    }

    package init(
        _ settings: IngressConfiguration, logger: Logger, metrics: MetricsRegistry, clocks: Clocks = .system,
        tracer: Tracer? = nil
    ) {
        self.settings = settings
        self.logger = logger
        self.metrics = metrics
        self.clocks = clocks
        self.tracer = tracer
    }

    /// The port of the public listener; 0 before `start()`.
    package var port: UInt16 { running.withLock { $0?.publicServer.port() ?? 0 } }
    /// The port of the admin listener; 0 before `start()`.
    package var adminPort: UInt16 { running.withLock { $0?.adminServer.port() ?? 0 } }

    package func start() async throws {
        let client = HTTPClient(settings.http)
        let verifier: NotificationVerifier
        do {
            verifier = try NotificationVerifier(
                settings.verifier, requester: OCSPOverHTTP(client: client),
                tableEvents: { [logger, weak self] event in
                    TableLog.take(event, logger, self?.events.withLock { $0 })
                })
        } catch {
            let isRoot = error.code == .root
            throw StartupError(
                error.message, setting: isRoot ? nil : IngressSettings.apps.key,
                fix: isRoot
                    ? "Set root.certificates to files with self-signed root certificates"
                    : "Correct \(IngressSettings.apps.key)",
                exitCode: .configuration)
        }
        let legacyVerifier = try LegacyVerifier(
            apps: settings.verifier.apps, legacyApps: settings.legacyApps, logger: logger,
            now: clocks.monotonicNanoseconds())
        let topics = try await IngressTopics.check(settings)
        for warning in topics.warnings {
            logger.warning("tolerated by the single-node profile", [LogField(.finding, warning)])
        }
        await KnownCertificates.load(topics.kafka, ProducedTopics(settings.topics), into: verifier, logger, clocks)
        let ingressMetrics = IngressMetrics(metrics)
        let decisions = DecisionLog(logger, ingressMetrics)
        let events = try makeEvents(topics.kafka)
        self.events.withLock { $0 = events?.events }
        let producer = try makeProducer(topics.kafka)
        let workers = makeWorkers(verifier, legacyVerifier, producer, ingressMetrics, decisions)
        do {
            let (publicServer, adminServer) = try await startServers(producer, workers, decisions, ingressMetrics)
            running.withLock {
                $0 = Running(
                    verifier: verifier, producer: producer, workers: workers, publicServer: publicServer,
                    adminServer: adminServer, client: client, events: events)
            }
        } catch {
            await workers.close()
            await producer.close(within: .zero)
            await events?.stop(within: .zero)
            client.close()
            throw error
        }
        announce()
        events?.announceStart()
    }

    package func run() async throws {
        guard let verifier = running.withLock({ $0?.verifier }) else { return }
        async let watched: Void = watchRevocation(verifier)
        // This call returns immediately if revocation checks are off. Awaiting `watched` keeps the ingress running
        // until it is stopped.
        await verifier.runRevocationChecks(clock: clocks.wallMilliseconds)
        try await watched
    }

    /// Logs once a minute while revocation checking needs an operator's attention. Runs until cancelled.
    private func watchRevocation(_ verifier: NotificationVerifier) async throws {
        while true {
            try await Task.sleep(for: .seconds(60))
            let status = verifier.revocationStatus(at: clocks.wallMilliseconds())
            guard status.needsAttention else { continue }
            logger.error(
                "revocation needs attention",
                [
                    LogField(.revoked, status.revoked), LogField(.unknown, status.unknown),
                    LogField(.acceptedUnknown, status.acceptedUnknown),
                ])
        }
    }

    package func stop(within limit: Duration) async {
        drain.set()
        guard let running = running.withLock({ $0 }) else { return }
        let end = ContinuousClock.now + limit
        // Connected clients get three quarters of the limit, which is more than the handler deadline.
        await running.publicServer.drain(within: limit * 0.75, accepting: settings.acceptsAfterReadiness)
        await running.workers.close()
        // All requests have been answered, so the producer waits at most a tenth of `limit` for the records still in
        // flight. Another tenth is reserved for releasing its client.
        let left = ContinuousClock.now.duration(to: end)
        await running.producer.close(within: max(.zero, min(limit * 0.1, left - limit * 0.1)))
        await running.adminServer.drain(within: .zero)
        await running.events?.stop(within: limit * 0.1)
        running.client.close()
    }

    // MARK: private details

    private func makeProducer(_ kafka: KafkaConfiguration) throws -> KafkaProducer {
        let log = KafkaEventLog(logger)
        do {
            var options = KafkaProducer.Options()
            options.slowAfter = settings.slowAfter
            return try KafkaProducer(kafka, topics: ProducedTopics(settings.topics).all, options: options) {
                log.take($0)
            }
        } catch {
            throw StartupError(
                error.message, setting: ApplicationSettings.kafka.prefix + "*", fix: "Correct the property",
                exitCode: .configuration)
        }
    }

    /// Creates the service that publishes operator events, or returns nil if they are off.
    private func makeEvents(_ kafka: KafkaConfiguration) throws -> OperatorEventService? {
        guard settings.publishesOperatorEvents else { return nil }
        return try OperatorEventService(
            .current(executable: "sluice-ingress"), topic: settings.topics.operations, kafka: kafka, logger: logger,
            metrics: metrics)
    }

    private func makeWorkers(
        _ verifier: NotificationVerifier, _ legacyVerifier: LegacyVerifier, _ producer: KafkaProducer,
        _ metrics: IngressMetrics, _ decisions: DecisionLog
    ) -> WorkerPool<NotificationWork> {
        let budget = QuarantineBudget(
            bytesPerHour: settings.quarantineBytesPerHour, nowNanoseconds: clocks.monotonicNanoseconds())
        let processor = NotificationProcessor(
            verifier: verifier, legacyVerifier: legacyVerifier, limits: NotificationListener.limits(settings),
            publisher: NotificationPublisher(
                producer: producer, topics: ProducedTopics(settings.topics), clock: clocks.monotonicNanoseconds,
                observe: { metrics.published($0) }), topics: ProducedTopics(settings.topics),
            duplicates: DuplicateWindow(capacity: settings.rememberedNotifications), quarantine: budget, clocks: clocks,
            sanity: sanity, signedDates: signedDates, metrics: metrics, decisions: decisions)
        self.metrics.collect { [clocks] samples in
            IngressSamples.add(producer.status, to: &samples)
            IngressSamples.add(verifier.revocationStatus(at: clocks.wallMilliseconds()), to: &samples)
            IngressSamples.add(verifier.tableStatus, to: &samples)
            samples.counter(
                IngressMetricName.chainValidations,
                help: "Verified certificate chains; cached chains are rarely verified again.",
                UInt64(clamping: verifier.chainValidations))
            samples.gauge(
                IngressMetricName.quarantineSpent, help: "Share of the hourly quarantine budget that has been used.",
                budget.spentShare(nowNanoseconds: clocks.monotonicNanoseconds()))
        }
        return WorkerPool(count: settings.workers, atOnce: verifier.preferredBatch, name: "verify") {
            processor.process($0)
        }
    }

    private func startServers(
        _ producer: KafkaProducer, _ workers: WorkerPool<NotificationWork>, _ decisions: DecisionLog,
        _ metrics: IngressMetrics
    ) async throws -> (HTTPServer, HTTPServer) {
        let publicServer = HTTPServer(
            listeners: [
                NotificationListener.listener(
                    settings, workers: workers, clocks: clocks, logger: logger, tracing: tracing(metrics))
            ],
            clock: clocks.monotonicNanoseconds, requestEnded: { decisions.take($0) })
        let checks = [drain.check] + IngressReadiness.checks(producer, sanity, signedDates, clocks)
        let adminServer = HTTPServer(
            listeners: [
                AdminListener.listener(
                    host: settings.adminHost, port: settings.adminPort, metrics: self.metrics, readiness: { checks })
            ])
        self.metrics.collect { samples in
            for counters in publicServer.counters { IngressSamples.add(counters, to: &samples) }
            samples.counter(
                IngressMetricName.slowPasses, help: "Event loop iterations of 50 ms or longer.",
                UInt64(clamping: publicServer.slowPasses))
            let isReady = checks.allSatisfy { $0.problem() == nil }
            samples.gauge(
                IngressMetricName.ready, help: "1 if /readyz responds 200, otherwise 0.", isReady ? 1 : 0)
        }
        try listen(adminServer, host: ApplicationSettings.adminHost.key, port: IngressSettings.adminPort.key)
        do {
            try listen(publicServer, host: IngressSettings.host.key, port: IngressSettings.port.key)
        } catch {
            await adminServer.drain(within: .zero)
            throw error
        }
        return (publicServer, adminServer)
    }

    private func tracing(_ metrics: IngressMetrics) -> RequestTracing? {
        tracer.map {
            RequestTracing(
                tracer: $0, metrics: metrics, clock: clocks.monotonicNanoseconds,
                handlerNanoseconds: UInt64(Limits.public.handlerTime.clampedNanoseconds))
        }
    }

    /// - Parameters:
    ///   - host: the setting key for the listener's address.
    ///   - port: the setting key for the listener's port.
    private func listen(_ server: HTTPServer, host: String, port: String) throws {
        do {
            try server.start()
        } catch {
            let isHost = error.code == .badHost
            throw StartupError(
                error.message, setting: isHost ? host : port,
                fix: isHost ? "Set \(host) to an address of this machine" : "Set \(port) to a free port")
        }
    }

    private func announce() {
        logger.info(
            "ready",
            [
                LogField(.host, settings.host), LogField(.port, port), LogField(.listener, "notifications"),
                LogField(.apps, .texts(settings.verifier.apps.map(\.bundleId.rawValue))),
                LogField(.revocation, settings.verifier.revocation.rawValue), LogField(.workers, settings.workers),
                LogField(.profile, settings.profile.rawValue),
                LogField(.legacyApps, .texts(settings.legacyApps.map(\.bundleId.rawValue))),
            ])
        if settings.forwarded != .off, settings.proxies.isEmpty {
            logger.warning(
                "http.forwarded has no effect while http.proxies is empty; set http.proxies to the networks of the proxies",
                [LogField(.setting, IngressSettings.proxies.key)])
        }
        logger.info(
            "ready", [LogField(.host, settings.adminHost), LogField(.port, adminPort), LogField(.listener, "admin")])
    }
}
