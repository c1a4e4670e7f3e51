internal import AppStoreSettings
package import AppStoreVerification
package import Configuration
internal import HTTPClient
internal import HTTPServer
internal import OperatorEvents
internal import Records
internal import ServiceKit

extension IngressConfiguration {
    /// The configuration schema of `sluice-ingress`.
    package static let schema = ConfigurationSchema(
        ApplicationSettings.all + IngressSettings.all, openPrefixes: [ApplicationSettings.kafka])

    /// - Throws: a ``ConfigurationError`` that contains the key, its source and the fix.
    package init(_ configuration: Configuration) throws(ConfigurationError) {
        let apps = try Self.apps(configuration)
        // Report unusable roots and apps early. `start()` creates a separate verifier with precomputed key tables.
        _ = try AppStoreSettings.verifier(configuration)
        for network in configuration[IngressSettings.proxies] where NetworkPrefix(network) == nil {
            throw configuration.error(
                IngressSettings.proxies.key, "\"\(network)\" must be a network, such as 10.0.0.0/8.")
        }
        self.init(
            kafka: try ApplicationSettings.kafkaConfiguration(
                configuration, clientId: "sluice-ingress", defaults: Self.kafkaDefaults),
            topics: TopicNames(prefix: configuration[IngressSettings.topicsPrefix]),
            profile: ApplicationSettings.deployment(configuration),
            host: configuration[IngressSettings.host], port: configuration[IngressSettings.port],
            adminHost: configuration[ApplicationSettings.adminHost],
            adminPort: configuration[IngressSettings.adminPort],
            verifier: try Self.verifier(configuration, apps),
            legacyApps: try AppStoreSettings.legacyApps(configuration),
            workers: configuration[IngressSettings.workers],
            rememberedNotifications: configuration[IngressSettings.rememberedNotifications],
            quarantineBytesPerHour: configuration[IngressSettings.quarantineBytesPerHour],
            proxies: configuration[IngressSettings.proxies], forwarded: configuration[IngressSettings.forwarded],
            proxyIdleTime: configuration[IngressSettings.idle], http: try HTTPClient.Configuration(configuration),
            publishesOperatorEvents: configuration[OperatorEventSettings.events])
    }

    private static func verifier(
        _ configuration: Configuration, _ apps: [AppIdentity]
    ) throws(ConfigurationError) -> VerifierConfiguration {
        var verifier = VerifierConfiguration(
            roots: try roots(configuration), apps: apps, revocation: configuration[IngressSettings.revocation])
        verifier.tables = FixedKeyTables(
            isOn: configuration[IngressSettings.tables] == .on,
            recheckedOneIn: configuration[IngressSettings.tablesRecheck])
        return verifier
    }

    // Records are small and batches contain few of them, so compression costs more in CPU than it saves in bytes. The
    // alias `compression.type` is passed to librdkafka later, so an operator's value overrides this one.
    private static let kafkaDefaults = ["compression.codec": "none"]

    /// Returns the apps in `apps` with their per-app settings, or an empty array if ``IngressSettings/appsIfAny`` is
    /// not set.
    package static func apps(_ configuration: Configuration) throws(ConfigurationError) -> [AppIdentity] {
        try AppStoreSettings.apps(configuration)
    }

    /// Returns, as DER, the certificates in the files listed in `root.certificates`, or Apple's root if that setting is
    /// absent.
    package static func roots(_ configuration: Configuration) throws(ConfigurationError) -> [[UInt8]] {
        try AppStoreSettings.roots(configuration)
    }
}
