internal import Configuration
internal import HTTPServer
internal import Lifecycle
internal import Synchronization
package import Telemetry

/// The admin listener of an executable. It starts first and stops last, so it responds while the other services start
/// and stop.
package final class AdminService: Service {
    private struct Checks {
        /// The readiness checks, or nil while the process is starting.
        var readiness: [HealthCheck]?
        var liveness: [HealthCheck] = []
        var pages: [AdminPage] = []
        var notes: [HealthCheck] = []
    }

    package let name = "admin listener"
    private let server: HTTPServer
    private let logger: Logger
    private let drain = DrainSwitch()
    private let checks: CheckList

    private final class CheckList: Sendable {
        let checks = Mutex(Checks())
    }

    package init(host: String, port: Int, logger: Logger, metrics: MetricsRegistry) {
        self.logger = logger
        let checks = CheckList()
        self.checks = checks
        let starting = HealthCheck("start", .process) { "the process is starting" }
        server = HTTPServer(listeners: [
            AdminListener.listener(
                host: host, port: port, metrics: metrics,
                readiness: { [drain] in [drain.check] + checks.checks.withLock { $0.readiness ?? [starting] } },
                liveness: { checks.checks.withLock { $0.liveness } },
                pages: { checks.checks.withLock { $0.pages } },
                notes: { checks.checks.withLock { $0.notes } })
        ])
    }

    /// Sets the checks and additional pages. Until then, `/readyz` reports that the process is starting.
    ///
    /// - Parameter notes: conditions that `/readyz` reports in additional lines without failing.
    package func check(
        readiness: [HealthCheck], liveness: [HealthCheck], pages: [AdminPage] = [], notes: [HealthCheck] = []
    ) {
        checks.checks.withLock {
            $0 = Checks(readiness: readiness, liveness: liveness, pages: pages, notes: notes)
        }
    }

    /// Starts the listener.
    /// - Throws: a `StartupError`.
    package func start() async throws {
        do {
            try server.start()
        } catch {
            let isHost = error.code == .badHost
            throw StartupError(
                error.message, setting: isHost ? ApplicationSettings.adminHost.key : "admin.port",
                fix: isHost ? "Use an address of this machine" : "Choose a free port")
        }
        logger.info("admin listener ready", [LogField(.port, server.port(of: 0))])
    }

    /// Makes `/readyz` fail from now on.
    package func turnAway() { drain.set() }

    /// Completes the requests in progress, then stops the listener.
    package func stop(within limit: Duration) async {
        await server.drain(within: limit)
    }
}
