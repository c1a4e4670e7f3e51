internal import HTTPServer
internal import Lifecycle
internal import Telemetry

/// The admin listener of a consumer.
final class AdminService: Sendable {
    private let server: HTTPServer
    private let logger: Logger
    private let drain: DrainSwitch

    init(
        host: String, port: Int, logger: Logger, metrics: MetricsRegistry, readiness: [AdminListener.Check],
        liveness: [AdminListener.Check]
    ) {
        let drain = DrainSwitch()
        self.drain = drain
        self.logger = logger
        server = HTTPServer(listeners: [
            AdminListener.listener(
                host: host, port: port, metrics: metrics, readiness: [drain.check] + readiness, liveness: liveness)
        ])
    }

    /// - Throws: a `StartupError`.
    func start() async throws {
        do {
            try server.start()
        } catch {
            throw StartupError(error.message, setting: "admin.port", fix: "Choose another address or port")
        }
        logger.info("admin listener ready", [LogField(.port, server.port(of: 0))])
    }

    /// `/readyz` says no from now on.
    func turnAway() { drain.set() }

    func stop(within limit: Duration) async {
        await server.drain(within: limit)
    }
}
