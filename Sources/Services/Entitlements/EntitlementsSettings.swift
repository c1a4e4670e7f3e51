internal import AppStoreSettings
package import Configuration
package import EntitlementRules
internal import KeyedState
internal import Records
internal import ServiceKit
internal import Time

/// Settings of `sluice-entitlements`, in addition to those of every consumer. Names and defaults are a contract.
package enum EntitlementsSettings {
    package static let host = Setting.string(
        "http.host", default: "127.0.0.1", help: "The address of the read API.")
    package static let port = Setting.integer(
        "http.port", default: 8081, in: 0...65535, help: "The port of the read API; 0 takes a free one and logs it.")
    package static let products = Setting.readableFile(
        "products", help: "JSON file that says what each product gives; without it a product gives its own name.",
        example: "/etc/sluice/products.json"
    ).optional
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let changes = Setting.boolean(
        "entitlements.changes", default: false,
        help: "Whether the read API takes claims and erasures too, from keys that may do more than read.")
    package static let keys = Setting.readableFile(
        "http.keys.file",
        help: """
            The keys of the read API's clients, one a line: a name, read or full, and the key, which they send as \
            "Authorization: Bearer KEY". A change of the file counts at once. Without it the read API listens on \
            this machine only, and asks for no key.
            """,
        example: "/etc/sluice/keys"
    ).optional
    package static let accessLog = Setting<AccessLines>.oneOf(
        "http.access.log", default: .changes,
        help: """
            Of which requests the read API logs a line with the name of the key, path and status. changes: claims, \
            erasures and transactions. all: questions too. Refused requests are logged always, once a second.
            """)
    /// The apps whose signed transactions are accepted.
    static let apps = AppStoreSettings.appsIfAny
    package static let renewalLeeway = Setting.duration(
        "entitlements.renewal.leeway", default: .seconds(3 * 3_600), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long after its expiry a subscription that renews stays entitled (RENEWING), since Apple's notification of \
            the renewal may be late: its first retry comes an hour after the first attempt.
            """)
    package static let outageLeeway = Setting.duration(
        "entitlements.outage.leeway", default: .seconds(86_400), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long after its expiry a subscription that renews stays entitled (RENEWING, unknown: true) while the \
            group's input was read only up to a moment further back than entitlements.renewal.leeway: silence of ours is \
            no cancellation. 0: it expires as ever.
            """)
    package static let stalenessLimit = Setting.duration(
        "entitlements.staleness.limit", default: .seconds(300), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long the group's input may be unread, or Kafka away, before answers say stale: true and the member is \
            not ready. 0: never.
            """)
    package static let staleAnswers = Setting<StaleAnswers>.oneOf(
        "entitlements.stale.answers", default: .mark,
        help: """
            What the read API does with a question when its facts are older than entitlements.staleness.limit. mark: it \
            answers with stale: true. refuse: it answers 503.
            """)
    package static let graceFallback = Setting.duration(
        "entitlements.grace.fallback", default: .seconds(3 * 86_400), in: .zero ... .seconds(28 * 86_400),
        help: """
            How long a billing grace period lasts of which Apple states no end: what App Store Connect is set to, 3d, \
            16d or 28d.
            """)
    package static let staleTolerance = Setting.duration(
        "entitlements.stale.tolerance", default: .seconds(3_600), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long a subscription stays entitled that Apple called active after the expiry that is known (STALE).
            """)
    package static let uploadAge = Setting.duration(
        "entitlements.upload.age", default: .seconds(3_600), in: .zero ... .seconds(366 * 86_400),
        help: """
            How long ago a transaction may have been signed that an app hands in of a purchase of which nothing is known. \
            What is older may have been refunded since: Apple is asked where appstore.api.key.file and the ids beside it \
            are set, and it is refused elsewhere.
            """)
    package static let legacyTrust = Setting<LegacyTrust>.oneOf(
        "legacy.trust", default: .confirm,
        help: """
            What version 1 notifications, which only a shared secret vouches for, may change. confirm: they give \
            and take nothing until Apple's App Store Server API says the same, for which appstore.api.key.file and the \
            ids beside it are set. accept: without these settings they count as they are until Apple signs otherwise. \
            observe: they are recorded and change no answer.
            """)
    package static let appLegacyTrust = Setting<LegacyTrust>.oneOf(
        "apps.<bundleId>.legacy.trust", help: "legacy.trust for one app."
    ).optional
    package static let adminPort = 9465

    package static let schema = ConfigurationSchema(
        [
            host, port, products, topicsPrefix, renewalLeeway, outageLeeway, graceFallback, staleTolerance,
            stalenessLimit, staleAnswers, uploadAge, changes,
            keys, accessLog, apps, AppStoreSettings.environments, AppStoreSettings.roots, AppStoreSettings.revocation,
            legacyTrust, appLegacyTrust,
        ] + AppStoreSettings.apiSettings + StateSettings.all)

    /// Checks for everything that startup would refuse, without starting anything: it builds the same parts.
    ///
    /// - Throws: a ``ConfigurationError`` that names the key, its location and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try EntitlementsConfiguration(configuration)
    }
}
