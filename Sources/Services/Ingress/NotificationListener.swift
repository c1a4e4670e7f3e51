internal import HTTPServer
internal import Telemetry
internal import Time

/// The public listener: `POST /notifications` and nothing else.
enum NotificationListener {
    static let path: StaticString = "/notifications"
    /// Apple's notifications have about 19 KB.
    static let maximumBody = 256 * 1024

    static func listener(_ plan: IngressPlan, workers: WorkerPool<NotificationWork>, clocks: Clocks) -> Listener {
        var limits = Limits.public
        limits.proxies = plan.proxies.compactMap { NetworkPrefix($0) }
        limits.forwarded = plan.forwarded
        return Listener(
            name: "notifications", host: plan.host, port: UInt16(clamping: plan.port), limits: limits,
            admit: { head in
                guard head.targetIs(path) else { return .notFound }
                return head.methodIs("POST") ? .body(limit: maximumBody) : .methodNotAllowed(allow: "POST")
            },
            handle: { request, exchange in
                workers.add(
                    NotificationWork(
                        body: request.body, traceParent: traceParent(request.head),
                        receivedAt: clocks.wallMilliseconds(), exchange: exchange))
            },
            passEnded: { workers.announce() })
    }

    /// Handed on only where it is valid: it becomes a header of the record.
    private static func traceParent(_ head: RequestHead) -> String? {
        head.header("traceparent").flatMap { TraceParent.parse($0) }?.text
    }
}
