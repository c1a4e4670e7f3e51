internal import AppStoreModel
internal import HTTPServer
internal import Synchronization
internal import Telemetry

/// Selects the admitted requests to log. Requests rejected with status 401 or 403 are always logged.
package enum AccessLines: String, Hashable, Sendable, CaseIterable {
    /// Only claims, erasures and uploaded transactions.
    case changes
    /// All requests, including read requests.
    case all
}

/// Logs and counts requests to the read API by key name, path and status. Log lines never contain a key, an account or
/// any other content of a read request.
final class AccessLog: Sendable {
    private struct Answer: Hashable {
        let key: String
        let path: String
        let status: Int
    }

    private let lines: AccessLines
    private let logger: Logger
    private let refusals: RateLimitedLogger
    /// Number of responses for each combination of key name, path and status.
    private let answers = Mutex<[Answer: UInt64]>([:])

    init(_ lines: AccessLines, logger: Logger, metrics: MetricsRegistry) {
        self.lines = lines
        self.logger = logger
        refusals = RateLimitedLogger(logger, perSecond: 1)
        metrics.collect { [weak self] in self?.sample(&$0) }
    }

    /// Records a request that is refused before it is handled.
    ///
    /// - Parameter path: the requested path, or nil if it is unknown.
    func refused(_ path: Route?, status: Int) {
        count(nil, path, status)
        guard status == 401 else { return }
        refusals.log(
            .warning, key: "401", "request without a listed key rejected",
            [LogField(.path, path?.rawValue ?? Self.other), LogField(.status, status)])
    }

    /// Wraps an exchange to count its response, and to log the response if its status or `lines` calls for it.
    func observe(_ exchange: Exchange, key: String?, _ route: Route) -> Exchange {
        exchange.observed { [self] response in
            count(key, route, response.status)
            if response.status == 403 {
                refusals.log(
                    .warning, key: "403", route.isChange ? "change rejected" : "read request rejected",
                    fields(key, route, response))
            } else if lines == .all, !route.isChange {
                logger.info("read request answered", fields(key, route, response))
            }
        }
    }

    /// Wraps an exchange to log its response.
    ///
    /// - Parameter purchase: the request that identifies the purchase, or nil if only the signed transaction identifies
    ///   it.
    func observe(change exchange: Exchange, key: String?, _ route: Route, of purchase: ChangeRequest?) -> Exchange {
        exchange.observed { [self] response in
            let purchase =
                purchase.map {
                    [
                        LogField(.environment, $0.environment.rawValue), LogField(.bundleId, $0.bundleId.rawValue),
                        LogField(.originalTransactionId, $0.originalTransactionId.rawValue),
                    ]
                } ?? []
            logger.info("change request answered", fields(key, route, response) + purchase)
        }
    }

    private static let other = "other"

    private func fields(_ key: String?, _ route: Route, _ response: HTTPResponse) -> [LogField] {
        [
            LogField(.keyName, key ?? ""), LogField(.path, route.rawValue), LogField(.status, response.status),
            LogField(.reason, response.reason),
        ]
    }

    private func count(_ key: String?, _ route: Route?, _ status: Int) {
        let answer = Answer(key: key ?? "", path: route?.rawValue ?? Self.other, status: status)
        answers.withLock { $0[answer, default: 0] += 1 }
    }

    private func sample(_ samples: inout MetricSamples) {
        for (answer, count) in answers.withLock({ $0 }) {
            samples.counter(
                EntitlementsMetricName.requests,
                help: "Requests to the read API, by key name, path and status.",
                labels: [
                    MetricLabel("key", answer.key), MetricLabel("path", answer.path),
                    MetricLabel("status", "\(answer.status)"),
                ], count)
        }
    }
}
