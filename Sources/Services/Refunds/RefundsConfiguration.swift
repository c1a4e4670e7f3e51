internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import KeyedState
internal import Primitives
internal import RefundRules
internal import Telemetry

/// The validated configuration of `sluice-refunds`, created at startup and by `sluicectl config check`.
struct RefundsConfiguration {
    let rules: RefundRules
    /// Apps for which requests are answered.
    let apps: [BundleId]
    /// Apps with `apps.<bundleId>.refunds=off`.
    let ignored: Set<BundleId>
    let api: AppStoreSettings.API
    let verifier: NotificationVerifier
    let provider: ConsumptionProvider?
    /// Findings about settings that work but should be changed.
    let warnings: [String]

    /// - Throws: a `ConfigurationError` if the apps, roots, keys, rules, provider, role or directory are unusable.
    init(
        _ configuration: Configuration, clocks: Clocks = .system, log: RateLimitedLogger? = nil
    ) throws(ConfigurationError) {
        try StateOptions.checkDirectory(configuration)
        // Decisions require the customer's other cases and withdrawn consents, which may be in any partition.
        guard configuration[StateSettings.role] == .all else {
            throw configuration.error(
                StateSettings.role.key, "sluice-refunds must follow every partition; set it to all, or remove it.")
        }
        let configured = try AppStoreSettings.apps(configuration).map(\.bundleId)
        ignored = Set(configured.filter { !AppStoreSettings.handlesRefunds($0, configuration) })
        let ignored = ignored
        apps = configured.filter { !ignored.contains($0) }
        guard !apps.isEmpty else {
            throw configuration.error(
                AppStoreSettings.apps.key, "every app has refunds=off, so sluice-refunds has nothing to do.")
        }
        rules = try RefundRules(configuration)
        provider = try ConsumptionProvider(configuration, clocks: clocks, log: log)
        api = try AppStoreSettings.api(configuration)
        verifier = try AppStoreSettings.verifier(configuration)
        warnings = try Self.warnings(configuration, rules, apps, api, hasService: provider != nil)
    }

    private static func warnings(
        _ configuration: Configuration, _ rules: RefundRules, _ apps: [BundleId], _ api: AppStoreSettings.API,
        hasService: Bool
    ) throws(ConfigurationError) -> [String] {
        // The preferences topic is always read; whether it has any producers is unknown here.
        let findings = rules.findings(hasService: hasService, hasPreferences: true)
        if let error = findings.first(where: { $0.severity == .error }) {
            throw configuration.error(RefundsSettings.rules.key, error.description)
        }
        let keys = apps.filter { api.configuration.credentials[$0] == nil }.map {
            """
            \($0) has no App Store Server API key, so its requests wait. Set \(AppStoreSettings.apiKeyFile.key) with \
            the issuer id and key id, or apps.\($0).refunds=off
            """
        }
        return findings.map(\.description) + keys
    }
}
