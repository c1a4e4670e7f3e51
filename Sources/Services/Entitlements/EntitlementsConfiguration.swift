internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPClient
internal import KeyedState
internal import Time

/// The complete, checked configuration of `sluice-entitlements`. Both startup and `sluicectl config check` build it.
struct EntitlementsConfiguration {
    let rules: ProductRules
    let trust: LegacyTrustPlan
    /// The verifier of the process, and the client for its revocation requests. Nil if no app is configured: then no
    /// signed statement is read.
    let verification: (verifier: NotificationVerifier, responders: HTTPClient)?

    /// - Throws: a `ConfigurationError` for invalid products, apps, roots, credentials or keys of the read API, or an
    ///   unusable directory.
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
