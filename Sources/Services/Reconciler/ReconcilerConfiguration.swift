internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import KeyedState

/// The validated configuration of `sluice-reconciler`, created at startup and by `sluicectl config check`.
struct ReconcilerConfiguration {
    let sweeps: SweepConfiguration
    /// The client for the App Store Server API and OCSP responders.
    let http: HTTPClient
    let verifier: NotificationVerifier

    /// - Throws: a `ConfigurationError` if the apps, root certificates, credentials, intervals or directory are
    ///   unusable.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        try StateOptions.checkDirectory(configuration)
        sweeps = try SweepConfiguration(configuration)
        http = HTTPClient(try HTTPClient.Configuration(configuration))
        verifier = try AppStoreSettings.verifier(configuration, responders: http)
    }
}
