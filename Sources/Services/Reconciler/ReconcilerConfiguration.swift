internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import KeyedState

/// Everything that `sluice-reconciler` reads from its configuration, checked: what the start builds, and what
/// `sluicectl config check` builds too.
struct ReconcilerConfiguration {
    let plan: ReconcilerPlan
    /// Of the App Store Server API and of OCSP responders.
    let http: HTTPClient
    let verifier: NotificationVerifier

    /// - Throws: a `ConfigurationError` for apps, roots, credentials, intervals or a directory that cannot be used.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        try StateOptions.checkDirectory(configuration)
        plan = try ReconcilerPlan(configuration)
        http = HTTPClient(try HTTPClient.Configuration(configuration))
        verifier = try AppStoreSettings.verifier(configuration, responders: http)
    }
}
