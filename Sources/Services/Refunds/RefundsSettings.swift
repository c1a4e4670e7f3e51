internal import AppStoreSettings
package import Configuration
internal import KeyedState
internal import Records
internal import RefundRules
internal import ServiceKit
internal import SignedRequests

/// Settings of `sluice-refunds`, in addition to those of every consumer. Names and defaults are a contract.
package enum RefundsSettings {
    package static let rules = Setting.readableFile(
        "refunds.rules",
        help: """
            JSON file with the rules that decide what Apple is told; without it nothing is preferred, and consent is \
            what the service at refunds.provider.url says.
            """,
        example: "/etc/sluice/refund-rules.json"
    ).optional

    package static let providerURL = Setting(
        "refunds.provider.url", .endpointURL,
        help: """
            Your service that knows consent and consumption: each case is posted to it, signed, and it answers with \
            JSON. Redirects are not followed.
            """,
        example: "https://api.example.com/refunds"
    ).optional
    package static let providerSecret = Setting<SecretFile>.secretFile(
        "refunds.provider.secret.file",
        help: """
            File with the keys that requests to refunds.provider.url are signed with, as for webhooks.secret.file: one \
            a line, 24 to 64 bytes in base64. It is read again when it changes.
            """,
        example: "/run/secrets/refunds-provider"
    ).optional
    package static let providerTimeout = Setting.duration(
        "refunds.provider.timeout", default: .seconds(5), in: .milliseconds(100)...(.seconds(60)),
        help: "How long one attempt may take, from the connection to the last byte of the answer.")
    package static let providerRoots = Setting.readableFile(
        "refunds.provider.ca.file",
        help: "PEM file of the roots that this service's certificate is checked with, instead of the system's.",
        example: "/etc/sluice/provider-ca.pem"
    ).optional
    package static let providerInsecure = Setting.boolean(
        "refunds.provider.insecure", default: false,
        help: "Allows an http:// URL that is not this machine's own.")

    static let mode = Setting<RefundWork.Mode>.oneOf(
        "refunds.mode", default: .answer,
        help: """
            answer sends answers to Apple; observe decides and records what would be sent, and sends nothing: for trying \
            rules on real requests.
            """)
    static let fallback = Setting<RefundDecisions.Fallback>.oneOf(
        "refunds.fallback", default: .withhold,
        help: """
            What becomes of a request about which refunds.provider.url is silent to the end: withhold sends nothing, \
            rules answers by refunds.rules and the recorded preference. An answer that cannot be read, and a refusal, are \
            no silence. rules also sends requests that a rule holds for a person, without a preference.
            """)
    package static let fallbackMargin = Setting.duration(
        "refunds.fallback.before", default: .seconds(3_600), in: .seconds(180)...(.seconds(11 * 3_600)),
        help: "How long before the end of a request's 12 hours refunds.fallback applies.")
    package static let concurrency = Setting.integer(
        "refunds.concurrency", default: 1, in: 1...64,
        help: """
            Answers that are sent to Apple at once. A crash may repeat as many; more than 1 is for some thousand \
            requests an hour.
            """)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9466

    package static let schema = ConfigurationSchema(
        [
            topicsPrefix, mode, AppStoreSettings.refundRoundGap, fallback, fallbackMargin, concurrency,
            AppStoreSettings.apps, AppStoreSettings.environments,
            AppStoreSettings.refunds, AppStoreSettings.roots, AppStoreSettings.revocation,
        ] + ruleSettings + AppStoreSettings.apiSettings + StateSettings.all)

    /// Finds every error that would prevent startup, without starting anything, by building the same components.
    ///
    /// - Throws: a ``ConfigurationError`` that names the key, its source and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try RefundsConfiguration(configuration)
    }

    /// Settings of rules and provider.
    package static let ruleSettings: [any AnySetting] = [
        rules, providerURL, providerSecret, providerTimeout, providerRoots, providerInsecure,
    ]
}
