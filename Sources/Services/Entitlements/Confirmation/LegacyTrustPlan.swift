internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import Telemetry

/// The effect of `legacy.trust` on each app. If an app has App Store Server API credentials, statements from version 1
/// notifications take effect only after the API has confirmed them; with the policy `observe`, they never take effect.
/// Without credentials, the policy decides.
struct LegacyTrustPlan {
    /// The trust rules for evaluating entitlements.
    let rules: LegacyTrustRules
    /// Apps whose version 1 notifications are confirmed through the API.
    let confirmedApps: Set<BundleId>
    /// The apps' API settings.
    let api: AppStoreSettings.API
    /// Apps with the policy `confirm` but without API credentials.
    private let unconfirmableApps: [BundleId]
    /// Apps with the policy `accept` whose notifications are confirmed instead, because the API is configured.
    private let replacedApps: [BundleId]

    /// - Throws: a `ConfigurationError` if the apps or credentials are invalid.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        api = try AppStoreSettings.api(configuration)
        let everywhere = configuration[EntitlementsSettings.legacyTrust]
        var rules = LegacyTrustRules(others: everywhere)
        var confirmed: Set<BundleId> = []
        var unconfirmable: [BundleId] = []
        var replaced: [BundleId] = []
        for app in try AppStoreSettings.apps(configuration).map(\.bundleId) {
            let policy = configuration.value(EntitlementsSettings.appLegacyTrust, for: app.rawValue) ?? everywhere
            let hasAPI = api.configuration.credentials[app] != nil
            switch policy {
            case .observe: rules.apps[app] = .observe
            case .confirm:
                rules.apps[app] = .confirm
                if hasAPI { confirmed.insert(app) } else { unconfirmable.append(app) }
            case .accept:
                rules.apps[app] = hasAPI ? .confirm : .accept
                if hasAPI {
                    confirmed.insert(app)
                    replaced.append(app)
                }
            }
            // An app with the default policy needs no entry, and an entry would change the fingerprint.
            if rules.apps[app] == rules.others { rules.apps[app] = nil }
        }
        self.rules = rules
        confirmedApps = confirmed
        unconfirmableApps = unconfirmable
        replacedApps = replaced
    }

    static let fix = """
        Set appstore.api.issuer.id, appstore.api.key.id and appstore.api.key.file to confirm them with Apple; or set \
        legacy.trust=accept to trust version 1 notifications without confirmation, or legacy.trust=observe to ignore \
        them
        """

    /// Logs at startup the apps whose version 1 notifications cannot be confirmed, and the apps whose notifications are
    /// confirmed despite the policy `accept`.
    func log(to logger: Logger) {
        let setting = LogField(.setting, EntitlementsSettings.legacyTrust.key)
        for app in unconfirmableApps {
            logger.info(
                "version 1 notifications cannot be confirmed; they grant no access",
                [LogField(.bundleId, app.rawValue), setting, LogField(.fix, Self.fix)])
        }
        for app in replacedApps {
            logger.info(
                "version 1 notifications are confirmed through the App Store Server API, because it is configured",
                [LogField(.bundleId, app.rawValue), setting])
        }
    }
}
