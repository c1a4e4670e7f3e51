internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import Telemetry
internal import Time

/// The App Store Server API as `sluice-refunds` uses it: no app may be without.
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
        return AppStoreSettings.client(api, verifier: verifier, clocks: clocks, logger: logger)
    }
}
