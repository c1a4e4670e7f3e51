internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import HTTPClient
internal import Primitives
internal import Telemetry

/// The App Store Server API for `sluice-reconciler`, limited to the reconciler's share of the request budget.
enum ReconcilerAPI {
    /// - Parameter sleep: waits until the budget allows a request; throws if the task is cancelled.
    static func client(
        _ sweeps: SweepConfiguration, http: HTTPClient, verifier: NotificationVerifier, clocks: Clocks,
        sleep: @escaping @Sendable (Duration) async throws -> Void, metrics: ReconcilerMetrics, logger: Logger
    ) -> AppStoreServerClient {
        let log = RateLimitedLogger(logger, perSecond: 1)
        let budgets = RequestBudgets(
            RequestBudgets.Limits(backgroundShare: sweeps.budgetShare), clocks: clocks, sleep: sleep)
        return AppStoreSettings.client(
            sweeps.api, http: http, verifier: verifier, clocks: clocks, budgets: budgets, logger: logger
        ) { event in
            switch event {
            case .answered: metrics.called()
            case .repeatedPage(_, let scope):
                metrics.pageRepeated()
                log.log(
                    .error, key: "page", "Apple returned a pagination token that was already used",
                    [LogField(.bundleId, scope.bundleId.rawValue), LogField(.environment, scope.environment.rawValue)])
            case .keyRead, .keyUnusable, .refusedObject, .unauthorized, .rateLimited: break
            }
        }
    }
}
