internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPClient
internal import KeyedState
internal import Time

/// Everything that `sluice-entitlements` reads from its configuration, checked: what the start builds, and what
/// `sluicectl config check` builds too.
struct EntitlementsConfiguration {
    let rules: ProductRules
    let trust: LegacyTrustPlan
    /// The verifier of the process, and the client over which it asks about revocation. Nil where no app is configured:
    /// nothing that Apple signed is looked at.
    let verification: (verifier: NotificationVerifier, responders: HTTPClient)?

    /// - Throws: a `ConfigurationError` for products, apps, roots, credentials, keys of the read API or a directory that
    ///   cannot be used.
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
