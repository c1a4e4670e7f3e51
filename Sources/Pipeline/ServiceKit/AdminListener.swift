package import HTTPServer
package import Telemetry

/// `/livez`, `/readyz` and `/metrics`, the same in every executable.
package enum AdminListener {
    /// The listener. `/readyz` answers 503 with one line for each failing check, in the order given; so does `/livez`,
    /// whose checks are for what only a restart corrects. The checks are asked for with each request.
    package static func listener(
        host: String, port: Int, metrics: MetricsRegistry, readiness: @escaping @Sendable () -> [HealthCheck],
        liveness: @escaping @Sendable () -> [HealthCheck] = { [] }
    ) -> Listener {
        Listener(
            name: "admin", host: host, port: UInt16(clamping: port), limits: .admin,
            admit: { head in
                let path = head.path
                guard path == "/livez" || path == "/readyz" || path == "/metrics" else { return .notFound }
                return head.isGetOrHead ? .noBody : .methodNotAllowed(allow: "GET, HEAD")
            },
            handle: { request, exchange in
                switch request.head.path {
                case "/livez": exchange.respond(answer(liveness(), good: "ok\n"))
                case "/readyz": exchange.respond(answer(readiness(), good: "ready\n"))
                default:
                    exchange.respond(
                        HTTPResponse(
                            status: 200, reason: "ok", contentType: MetricsRegistry.prometheusContentType,
                            body: metrics.prometheusText()))
                }
            })
    }

    private static func answer(_ checks: [HealthCheck], good: String) -> HTTPResponse {
        let problems = checks.compactMap { check in check.problem().map { "\(check.name): \($0)\n" } }
        guard !problems.isEmpty else { return .text(good) }
        return .text(problems.joined(), status: 503, reason: "not_ready")
    }
}
