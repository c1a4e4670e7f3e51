internal import AppStoreVerification
internal import HTTPServer
internal import Telemetry
internal import Time

/// The public listener: `POST /notifications` and nothing else; a query is ignored.
enum NotificationListener {
    static let path: StaticString = "/notifications"
    /// Of a signed notification; Apple's have about 19 KB.
    static let maximumBody = 256 * 1024
    /// Of version 1 and older, which has the customer's transactions and receipt.
    static let maximumLegacyBody = 2 * 1024 * 1024
    /// A transaction of version 1 has about 25 fields.
    private static let maximumLegacyEntries = 60_000

    /// What each form may have.
    static func limits(_ plan: IngressPlan) -> BodyLimits {
        BodyLimits(signedBytes: maximumBody, legacyEntries: plan.legacyApps.isEmpty ? 0 : maximumLegacyEntries)
    }

    static func listener(
        _ plan: IngressPlan, workers: WorkerPool<NotificationWork>, clocks: Clocks, logger: Logger
    ) -> Listener {
        var limits = Limits.public
        limits.proxies = plan.proxies.compactMap { NetworkPrefix($0) }
        limits.forwarded = plan.forwarded
        limits.proxyIdleTime = plan.proxyIdleTime
        // The form is known when the body is read: until then it may have what any accepted form may have.
        let limit = plan.legacyApps.isEmpty ? maximumBody : maximumLegacyBody
        let unknownClients = UnknownClients(logger: logger)
        return Listener(
            name: "notifications", host: plan.host, port: UInt16(clamping: plan.port), limits: limits,
            admit: { head in
                guard head.pathIs(path) else { return .notFound }
                return head.methodIs("POST") ? .body(limit: limit) : .methodNotAllowed(allow: "POST")
            },
            handle: { request, exchange in
                unknownClients.look(at: request)
                workers.add(
                    NotificationWork(
                        body: request.body, traceParent: traceParent(request.head),
                        receivedAt: clocks.wallMilliseconds(), exchange: exchange))
                // Its query and fields can hold what should only be in the body.
                request.head.wipe()
            },
            passEnded: { workers.announce() })
    }

    /// Handed on only where it is valid: it becomes a header of the record.
    private static func traceParent(_ head: RequestHead) -> String? {
        head.header("traceparent").flatMap { TraceParent.parse($0) }?.text
    }
}
