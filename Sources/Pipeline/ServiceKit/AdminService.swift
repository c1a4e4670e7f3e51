internal import HTTPServer
internal import Lifecycle
package import Telemetry

/// The admin listener as a part of an executable, with a readiness that ends before the process does.
package final class AdminService: Sendable {
    private let server: HTTPServer
    private let logger: Logger
    private let drain: DrainSwitch

    /// - Parameters:
    ///   - readiness: what must be true beside "the process is not stopping".
    ///   - liveness: what only a restart corrects.
    package init(
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
    package func start() async throws {
        do {
            try server.start()
        } catch {
            throw StartupError(error.message, setting: "admin.port", fix: "Choose another address or port")
        }
        logger.info("admin listener ready", [LogField(.port, server.port(of: 0))])
    }

    /// `/readyz` says no from now on.
    package func turnAway() { drain.set() }

    /// Finishes the answers under way.
    package func stop(within limit: Duration) async {
        await server.drain(within: limit)
    }
}
