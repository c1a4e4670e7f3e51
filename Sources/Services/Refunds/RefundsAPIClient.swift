internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import Telemetry
internal import Time

/// The App Store Server API as `sluice-refunds` uses it.
enum RefundsAPIClient {
    /// - Throws: a `ConfigurationError` for an app without credentials, and for apps, roots and keys that cannot be used.
    static func make(
        _ configuration: Configuration, verifier: NotificationVerifier, clocks: Clocks, logger: Logger
    ) throws(ConfigurationError) -> AppStoreServerClient {
        let apps = try AppStoreSettings.apps(configuration)
        let api = try AppStoreSettings.api(configuration)
        for app in apps where api.configuration.credentials[app.bundleId] == nil {
            throw configuration.error(
                AppStoreSettings.apiKeyFile.key,
                "is not set: \(app.bundleId) has no key for the App Store Server API. Set it with the ids beside it.")
        }
        for warning in api.warnings {
            logger.warning("the App Store Server API is not as safe as it could be", [LogField(.fix, "\(warning)")])
        }
        let log = RateLimitedLogger(logger, perSecond: 1)
        return AppStoreServerClient(
            api.configuration, http: HTTPClient(), verifier: verifier, clocks: clocks
        ) { report($0, log) }
    }

    /// - Throws: a `ConfigurationError` for apps and roots that cannot be verified with.
    static func verifier(_ configuration: Configuration) throws(ConfigurationError) -> NotificationVerifier {
        let apps = try AppStoreSettings.apps(configuration)
        let roots = try AppStoreSettings.roots(configuration)
        do throws(VerifierSetupError) {
            return try NotificationVerifier(
                VerifierConfiguration(
                    roots: roots, apps: apps, revocation: configuration[AppStoreSettings.revocation]),
                requester: OCSPOverHTTP(client: HTTPClient()))
        } catch {
            throw configuration.error(AppStoreSettings.apps.key, error.message)
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
