package import AppStoreModel

/// For whom a request is made: it decides the token, the base URL and the budget.
package struct APIScope: Sendable, Hashable {
    package var bundleId: BundleId
    /// `Production` or `Sandbox`; no other environment has this API.
    package var environment: AppStoreEnvironment
    package var priority: RequestPriority

    package init(_ bundleId: BundleId, in environment: AppStoreEnvironment, priority: RequestPriority = .urgent) {
        self.bundleId = bundleId
        self.environment = environment
        self.priority = priority
    }
}

/// How a request shares its endpoint's budget with others.
package enum RequestPriority: Sendable, Hashable {
    /// A person waits for it, or a deadline does: such as the answer to a consumption request.
    case urgent
    /// The last chance before a deadline: it takes the next free moment even where a 429 has closed the budget.
    case last
    /// History, reconciliation and backfill: at most a share of the budget, and only what urgent requests leave.
    case background
}
