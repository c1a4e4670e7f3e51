internal import AppStoreSettings
package import Configuration
internal import KeyedState
internal import OperatorEvents
internal import Records
internal import RefundRules
internal import ServiceKit
internal import SignedRequests

/// The settings of `sluice-refunds`, in addition to those of all consumers. Names and defaults are a public contract.
package enum RefundsSettings {
    package static let rules = Setting.readableFile(
        "refunds.rules",
        help: """
            JSON file with the rules that decide each answer. Default: no preference is sent, and consent comes from \
            the service at refunds.provider.url.
            """,
        example: "/etc/sluice/refund-rules.json"
    ).optional

    package static let providerURL = Setting(
        "refunds.provider.url", .endpointURL,
        help: """
            URL of your service that provides consent and consumption data. Each case is posted to it in a signed \
            request, and the service responds with JSON. Redirects are not followed.
            """,
        example: "https://api.example.com/refunds"
    ).optional
    package static let providerSecret = Setting<SecretFile>.secretFile(
        "refunds.provider.secret.file",
        help: """
            File with the keys that sign requests to refunds.provider.url, as in webhooks.secret.file: one per line, \
            24 to 64 bytes in base64. The file is reloaded when it changes.
            """,
        example: "/run/secrets/refunds-provider"
    ).optional
    package static let providerTimeout = Setting.duration(
        "refunds.provider.timeout", default: .seconds(5), in: .milliseconds(100)...(.seconds(60)),
        help: "Timeout for one attempt, from connecting to the last byte of the response.")
    package static let providerRoots = Setting.readableFile(
        "refunds.provider.ca.file",
        help: "PEM file with the root certificates that verify your service's certificate. Default: the system's.",
        example: "/etc/sluice/provider-ca.pem"
    ).optional
    package static let providerInsecure = Setting.boolean(
        "refunds.provider.insecure", default: false,
        help: "Allow an http:// URL that points to another machine.")

    static let mode = Setting<RefundWork.Mode>.oneOf(
        "refunds.mode", default: .answer,
        help: """
            answer sends answers to Apple; observe only decides and records them, to test rules on real requests.
            """)
    static let fallback = Setting<RefundDecisions.Fallback>.oneOf(
        "refunds.fallback", default: .withhold,
        help: """
            Fallback if the service at refunds.provider.url has not answered in time: withhold sends nothing; rules \
            answers by refunds.rules and the recorded preference, and also answers, without a preference, requests \
            that a rule holds for an operator. The fallback does not apply to unreadable responses or refusals.
            """)
    package static let fallbackMargin = Setting.duration(
        "refunds.fallback.before", default: .seconds(3_600), in: .seconds(180)...(.seconds(11 * 3_600)),
        help: "Time before a request's deadline at which refunds.fallback applies.")
    package static let concurrency = Setting.integer(
        "refunds.concurrency", default: 1, in: 1...64,
        help: """
            Maximum number of answers sent to Apple concurrently; the same number may be sent again after a crash. Use \
            more than 1 only for thousands of requests per hour.
            """)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9466

    package static let schema = ConfigurationSchema(
        [
            topicsPrefix, OperatorEventSettings.events, mode, AppStoreSettings.refundRoundGap, fallback, fallbackMargin,
            concurrency,
            AppStoreSettings.apps, AppStoreSettings.environments,
            AppStoreSettings.refunds, AppStoreSettings.roots, AppStoreSettings.revocation,
        ] + ruleSettings + AppStoreSettings.apiSettings + StateSettings.all)

    /// Reports the errors that would prevent startup, by creating the same components without starting them.
    ///
    /// - Throws: a ``ConfigurationError`` that contains the key, its source and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try RefundsConfiguration(configuration)
    }

    /// The settings for the rules and the provider.
    package static let ruleSettings: [any AnySetting] = [
        rules, providerURL, providerSecret, providerTimeout, providerRoots, providerInsecure,
    ]
}
