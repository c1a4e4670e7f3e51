internal import HTTPServer
internal import Synchronization
internal import Telemetry

/// Logs, only once, that a proxy does not identify its clients. These clients share one rate limit.
final class UnknownClients: Sendable {
    private let logger: Logger
    private let hasWarned = Mutex(false)

    init(logger: Logger) { self.logger = logger }

    func look(at request: HTTPRequest) {
        guard request.hasUnknownClient else { return }
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        logger.warning(
            "http.proxies do not report the client as http.forwarded requires; unidentified clients share one limit",
            [LogField(.network, request.network.description)])
    }
}
