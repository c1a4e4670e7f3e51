package import AppStoreModel

/// The app, environment and priority of a request, which determine its token, base URL and budget.
package struct APIScope: Sendable, Hashable {
    package var bundleId: BundleId
    /// `Production` or `Sandbox`. No other environment has this API.
    package var environment: AppStoreEnvironment
    package var priority: RequestPriority

    package init(_ bundleId: BundleId, in environment: AppStoreEnvironment, priority: RequestPriority = .urgent) {
        self.bundleId = bundleId
        self.environment = environment
        self.priority = priority
    }
}

/// How a request shares its endpoint's budget with other requests.
package enum RequestPriority: Sendable, Hashable {
    /// For requests that a user is waiting for or that have a deadline, such as the answer to a consumption request.
    case urgent
    /// For the last attempt before a deadline. It uses the next free slot even if a 429 has closed the budget.
    case last
    /// For history, reconciliation and backfill. These requests use at most the background share of the budget, and
    /// only slots that no urgent request needs.
    case background
}
