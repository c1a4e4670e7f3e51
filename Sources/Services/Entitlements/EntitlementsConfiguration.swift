internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPClient
internal import KeyedState
internal import Primitives

/// The complete, validated configuration of `sluice-entitlements`, created at startup and by `sluicectl config check`.
struct EntitlementsConfiguration {
    let rules: ProductRules
    let trust: LegacyTrustPlan
    /// The process's verifier, and the HTTP client for its revocation requests. Nil if no app is configured, in which
    /// case signed statements are not read.
    let verification: (verifier: NotificationVerifier, responders: HTTPClient)?

    /// - Throws: a `ConfigurationError` if the products, apps, roots, credentials or read API keys are invalid, or the
    ///   directory is unusable.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        try StateOptions.checkDirectory(configuration)
        rules = try ProductRules(configuration)
        trust = try LegacyTrustPlan(configuration)
        _ = try AccessKeys.file(configuration, clocks: .system)
        guard try !AppStoreSettings.apps(configuration).isEmpty else {
            verification = nil
            return
        }
        let responders = HTTPClient(try HTTPClient.Configuration(configuration))
        verification = (try AppStoreSettings.verifier(configuration, responders: responders), responders)
    }
}
