internal import AppStoreModel
package import AppStoreServerAPI
package import AppStoreVerification
package import Configuration
package import HTTPClient
package import Telemetry
package import Time

/// The App Store Server API as every executable uses it.
extension AppStoreSettings {
    /// The client of a process; an app without credentials has no API. What should not stay as it is, keys that are read
    /// and objects that are refused are logged.
    ///
    /// - Parameters:
    ///   - http: a client of the process; one of its own when nil.
    ///   - budgets: of the process; new ones when nil.
    ///   - observe: is told of everything else too, for metrics; called on any thread, and must not wait.
    package static func client(
        _ api: API, http: HTTPClient? = nil, verifier: NotificationVerifier, clocks: Clocks,
        budgets: RequestBudgets? = nil, logger: Logger, observe: @escaping @Sendable (APIEvent) -> Void = { _ in }
    ) -> AppStoreServerClient {
        for warning in api.warnings {
            logger.warning("the App Store Server API is not as safe as it could be", [LogField(.fix, "\(warning)")])
        }
        let log = RateLimitedLogger(logger, perSecond: 1)
        return AppStoreServerClient(
            api.configuration, http: http ?? HTTPClient(api.http), verifier: verifier, clocks: clocks, budgets: budgets
        ) { event in
            report(event, log)
            observe(event)
        }
    }

    /// A verifier of signed objects, which asks OCSP responders.
    ///
    /// - Throws: a `ConfigurationError` for apps and roots that cannot be verified with.
    package static func verifier(
        _ configuration: Configuration, responders: HTTPClient? = nil
    ) throws(ConfigurationError) -> NotificationVerifier {
        let apps = try apps(configuration)
        let roots = try roots(configuration)
        let http = try HTTPClient.Configuration(configuration)
        let responders = responders ?? HTTPClient(http)
        do throws(VerifierSetupError) {
            return try NotificationVerifier(
                VerifierConfiguration(roots: roots, apps: apps, revocation: configuration[revocation]),
                requester: OCSPOverHTTP(client: responders))
        } catch {
            throw configuration.error(error.code == .root ? Self.roots.key : Self.apps.key, error.message)
        }
    }

    private static func report(_ event: APIEvent, _ log: RateLimitedLogger) {
        switch event {
        case .keyRead(let file):
            log.log(.info, key: "key", "the App Store Server API key was read", [LogField(.path, file)])
        case .keyUnusable(let file, let message):
            log.log(
                .error, key: "key", "the App Store Server API key cannot be used",
                [LogField(.path, file), LogField(.error, message)])
        case .refusedObject(_, let scope, let reason):
            log.log(
                .error, key: "object", "a signed object of the App Store Server API was refused",
                [LogField(.bundleId, scope.bundleId.rawValue), LogField(.reason, reason)])
        case .answered, .unauthorized, .rateLimited, .repeatedPage: break
        }
    }
}

extension LogKey {
    static let path = LogKey(rawValue: "path")
    static let bundleId = LogKey(rawValue: "bundleId")
    static let fix = LogKey(rawValue: "fix")
}
