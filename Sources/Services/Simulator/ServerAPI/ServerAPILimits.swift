internal import AppStoreModel

/// The rate limit of an endpoint: a maximum number of requests in any window of the given length.
package struct ServerAPILimit: Sendable, Equatable {
    package let requests: Int
    /// The length of the window in seconds.
    package let window: Int

    /// Creates a limit. Raises values below 1 to 1.
    package init(_ requests: Int, perSeconds window: Int = 1) {
        self.requests = max(1, requests)
        self.window = max(1, window)
    }
}

/// The rate limits of all endpoints. Source: Apple, "Identifying rate limits".
package enum ServerAPILimits: Sendable, Equatable {
    /// Apple's limits. The limits in the sandbox are a tenth of those in production.
    case apple
    /// A number of requests per second that applies to each endpoint, in both environments.
    case perSecond(Int)
    case unlimited

    func limit(of operation: ServerAPIOperation, in environment: AppStoreEnvironment) -> ServerAPILimit? {
        switch self {
        case .unlimited: nil
        case .perSecond(let requests): ServerAPILimit(requests)
        case .apple:
            environment == .sandbox
                ? Self.tenth(of: Self.perSecond(operation)) : ServerAPILimit(Self.perSecond(operation))
        }
    }

    private static func tenth(of requests: Int) -> ServerAPILimit {
        requests >= 10 ? ServerAPILimit(requests / 10) : ServerAPILimit(requests, perSeconds: 10)
    }

    private static func perSecond(_ operation: ServerAPIOperation) -> Int {
        switch operation {
        case .extendRenewalDate, .setAppAccountToken: 20
        case .lookUpOrderId, .getRefundHistory: 10
        // Apple's table does not list `getStatusOfRenewalDateExtensions`, so the simulator gives it the limit of
        // `extendRenewalDateForAllActiveSubscribers`.
        case .extendRenewalDateForAllActiveSubscribers, .requestTestNotification, .getTestNotificationStatus,
            .getStatusOfRenewalDateExtensions:
            1
        default: 50
        }
    }
}
