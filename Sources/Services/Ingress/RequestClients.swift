internal import HTTPServer
internal import Synchronization
internal import Telemetry

/// Decides which network the limits of a request count for.
final class RequestClients: Sendable {
    private let proxies: [NetworkPrefix]
    private let logger: Logger
    private let hasWarned = Mutex(false)

    init(proxies: [NetworkPrefix], logger: Logger) {
        self.proxies = proxies
        self.logger = logger
    }

    /// The client's network. Clients that a proxy should have named and did not are one client, the proxy's network: a
    /// client that could make itself unknown would escape every limit. Nil where a proxy is not set up to name clients
    /// (`http.forwarded`): it stands for all of them, and the guesses of one must not lock out the others.
    func client(of request: HTTPRequest) -> NetworkPrefix? {
        if request.hasUnknownClient {
            warnOnce(request.network)
            return request.network
        }
        return proxies.contains { $0.contains(request.network) } ? nil : request.network
    }

    private func warnOnce(_ network: NetworkPrefix) {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        logger.warning(
            "http.proxies do not name a client as http.forwarded says: clients without a readable address share one limit",
            [LogField(.network, network.description)])
    }
}
