internal import AppStoreVerification
internal import HTTPServer
internal import Primitives
internal import Telemetry
internal import Tracing

/// The public listener. It serves only `POST /notifications` and ignores any query.
enum NotificationListener {
    static let path: StaticString = "/notifications"
    /// The maximum size of a signed notification in bytes. Apple's notifications are about 19 KB.
    static let maximumBody = 256 * 1024
    /// The maximum size, in bytes, of a body of version 1 or earlier. Such a body contains the customer's transactions
    /// and receipt.
    static let maximumLegacyBody = 2 * 1024 * 1024
    /// The maximum number of fields in a version 1 body. A transaction has about 25.
    private static let maximumLegacyEntries = 60_000

    /// Returns the size limits for each body version.
    static func limits(_ settings: IngressConfiguration) -> BodyLimits {
        BodyLimits(signedBytes: maximumBody, legacyEntries: settings.legacyApps.isEmpty ? 0 : maximumLegacyEntries)
    }

    static func listener(
        _ settings: IngressConfiguration, workers: WorkerPool<NotificationWork>, clocks: Clocks, logger: Logger,
        tracing: RequestTracing?
    ) -> Listener {
        var limits = Limits.public
        limits.proxies = settings.proxies.compactMap { NetworkPrefix($0) }
        limits.forwarded = settings.forwarded
        limits.proxyIdleTime = settings.proxyIdleTime
        // The version is known only after the body has been parsed; until then, the largest accepted size applies.
        let limit = settings.legacyApps.isEmpty ? maximumBody : maximumLegacyBody
        let unknownClients = UnknownClients(logger: logger)
        return Listener(
            name: "notifications", host: settings.host, port: UInt16(clamping: settings.port), limits: limits,
            admit: { head in
                guard head.pathIs(path) else { return .notFound }
                return head.methodIs("POST") ? .body(limit: limit) : .methodNotAllowed(allow: "POST")
            },
            handle: { request, exchange in
                unknownClients.look(at: request)
                let parent = traceParent(request.head)
                let trace = tracing?.trace(of: request, parent) ?? .off(parent)
                var exchange = exchange
                if let tracing, let span = trace.span {
                    exchange = tracing.exchange(exchange, of: request, ending: span)
                }
                workers.add(
                    NotificationWork(
                        body: request.body, trace: trace, receivedAt: clocks.wallMilliseconds(), exchange: exchange))
                // The query and the headers may contain a secret that belongs in the body.
                request.head.wipe()
            },
            passEnded: { workers.announce() })
    }

    /// Returns the trace parent if it is valid. Only a valid one may become a record header.
    private static func traceParent(_ head: RequestHead) -> TraceParent? {
        head.header("traceparent").flatMap { TraceParent.parse($0) }
    }
}
