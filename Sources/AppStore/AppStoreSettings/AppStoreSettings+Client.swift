internal import AppStoreModel
package import AppStoreServerAPI
package import AppStoreVerification
package import Configuration
package import HTTPClient
package import Primitives
package import Telemetry

/// The App Store Server API client, configured the same way in every executable.
extension AppStoreSettings {
    /// Creates the process's client. Apps without credentials cannot use the API. Warnings, loaded keys and rejected
    /// objects are logged.
    ///
    /// - Parameters:
    ///   - http: the process's HTTP client, or nil to create one.
    ///   - budgets: the process's request budgets, or nil to create new ones.
    ///   - observe: called with all events, for metrics, on any thread; must not block.
    package static func client(
        _ api: API, http: HTTPClient? = nil, verifier: NotificationVerifier, clocks: Clocks,
        budgets: RequestBudgets? = nil, logger: Logger, observe: @escaping @Sendable (APIEvent) -> Void = { _ in }
    ) -> AppStoreServerClient {
        for warning in api.warnings {
            logger.warning("App Store Server API configuration is insecure", [LogField(.fix, "\(warning)")])
        }
        let log = RateLimitedLogger(logger, perSecond: 1)
        return AppStoreServerClient(
            api.configuration, http: http ?? HTTPClient(api.http), verifier: verifier, clocks: clocks, budgets: budgets
        ) { event in
            report(event, log)
            observe(event)
        }
    }

    /// Creates a signed-object verifier that sends OCSP requests.
    ///
    /// - Throws: `ConfigurationError` if the apps or roots are unusable.
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
            log.log(.info, key: "key", "App Store Server API key loaded", [LogField(.path, file)])
        case .keyUnusable(let file, let message):
            log.log(
                .error, key: "key", "App Store Server API key cannot be used",
                [LogField(.path, file), LogField(.error, message)])
        case .refusedObject(_, let scope, let reason):
            log.log(
                .error, key: "object", "signed object from the App Store Server API rejected",
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
