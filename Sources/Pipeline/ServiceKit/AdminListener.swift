package import HTTPServer
package import Telemetry

/// The listener for `/livez`, `/readyz` and `/metrics`, identical in every executable.
package enum AdminListener {
    /// Creates the listener. `/readyz` and `/livez` answer 503 with one line per failing check, in the given order. The
    /// `/livez` checks detect conditions that only a restart can fix. Checks and additional pages are evaluated for
    /// each request. Every `/readyz` response also contains the lines of `notes`, which do not affect its status.
    package static func listener(
        host: String, port: Int, metrics: MetricsRegistry, readiness: @escaping @Sendable () -> [HealthCheck],
        liveness: @escaping @Sendable () -> [HealthCheck] = { [] },
        pages: @escaping @Sendable () -> [AdminPage] = { [] },
        notes: @escaping @Sendable () -> [HealthCheck] = { [] }
    ) -> Listener {
        let own: Set<String> = ["/livez", "/readyz", "/metrics"]
        return Listener(
            name: "admin", host: host, port: UInt16(clamping: port), limits: .admin,
            admit: { head in
                let path = head.path
                guard own.contains(path) || pages().contains(where: { $0.path == path }) else { return .notFound }
                return head.isGetOrHead ? .noBody : .methodNotAllowed(allow: "GET, HEAD")
            },
            handle: { request, exchange in
                switch request.head.path {
                case "/livez": exchange.respond(answer(liveness(), good: "ok\n"))
                case "/readyz": exchange.respond(answer(readiness(), good: "ready\n", notes: notes()))
                case let path where !own.contains(path):
                    let page = pages().first { $0.path == path }
                    exchange.respond(page.map { .json($0.body()) } ?? .text("", status: 404, reason: "no_page"))
                default:
                    exchange.respond(
                        HTTPResponse(
                            status: 200, reason: "ok", contentType: MetricsRegistry.prometheusContentType,
                            body: metrics.prometheusText()))
                }
            })
    }

    private static func answer(_ checks: [HealthCheck], good: String, notes: [HealthCheck] = []) -> HTTPResponse {
        let problems = checks.compactMap(\.failure).joined()
        let others = notes.compactMap(\.failure).joined()
        guard !problems.isEmpty else { return .text(good + others) }
        return .text(problems + others, status: 503, reason: "not_ready")
    }
}

extension HTTPResponse {
    fileprivate static func json(_ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: 200, reason: "ok", contentType: "application/json", body: body)
    }
}
