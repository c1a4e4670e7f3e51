internal import AppStoreSettings
package import Configuration
package import EntitlementRules
internal import KeyedState
internal import OperatorEvents
internal import Primitives
internal import Records
internal import ServiceKit

/// Settings of `sluice-entitlements`, in addition to the settings of all consumers. Names and defaults are a public
/// contract.
package enum EntitlementsSettings {
    package static let host = Setting.string(
        "http.host", default: "127.0.0.1", help: "The read API's address.")
    package static let port = Setting.integer(
        "http.port", default: 8081, in: 0...65535, help: "The read API's port; 0 selects a free port and logs it.")
    package static let products = Setting.readableFile(
        "products",
        help: "JSON file with each product's entitlements. Without it, a product grants an entitlement with its name.",
        example: "/etc/sluice/products.json"
    ).optional
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let changes = Setting.boolean(
        "entitlements.changes", default: false,
        help: "Whether the read API also accepts claims and erasures, from clients with a full key.")
    package static let stories = Setting.boolean(
        "entitlements.stories", default: false,
        help: """
            Whether the read API also answers /v1/story, for clients with a story or full key. Each story is read \
            from Kafka partitions, one story at a time.
            """)
    package static let keys = Setting.readableFile(
        "http.keys.file",
        help: """
            File with the keys of the read API's clients, one per line: a name, a permission (read, story or full) \
            and the key. Clients send it as "Authorization: Bearer KEY". Changes take effect within a second. Without \
            a file, the read API listens on this machine only and requires no key.
            """,
        example: "/etc/sluice/keys"
    ).optional
    package static let accessLog = Setting<AccessLines>.oneOf(
        "http.access.log", default: .changes,
        help: """
            Requests that the read API logs, with key name, path and status. changes: claims, erasures and \
            transactions. all: read requests too. Requests refused with 401 or 403 are always logged, at most once a \
            second.
            """)
    /// The apps whose signed transactions are accepted.
    static let apps = AppStoreSettings.appsIfAny
    package static let renewalLeeway = Setting.duration(
        "entitlements.renewal.leeway", default: .seconds(3 * 3_600), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long a renewing subscription remains entitled after its expiry (RENEWING), because Apple's \
            renewal notification may be late: its first retry comes an hour after the first attempt.
            """)
    package static let outageLeeway = Setting.duration(
        "entitlements.outage.leeway", default: .seconds(86_400), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long a renewing subscription remains entitled after its expiry (RENEWING, unknown: true) while the \
            group is behind on its input by more than entitlements.renewal.leeway, because an outage of \
            this group is not a cancellation. 0: it expires as usual.
            """)
    package static let stalenessLimit = Setting.duration(
        "entitlements.staleness.limit", default: .seconds(300), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long the group's input may be unread, or Kafka unavailable, before answers contain stale: true and the \
            member is not ready. 0: no limit.
            """)
    package static let staleAnswers = Setting<StaleAnswers>.oneOf(
        "entitlements.stale.answers", default: .mark,
        help: """
            The answer to a read request when its facts are older than entitlements.staleness.limit. mark: the answer \
            contains stale: true. refuse: 503.
            """)
    package static let graceFallback = Setting.duration(
        "entitlements.grace.fallback", default: .seconds(3 * 86_400), in: .zero ... .seconds(28 * 86_400),
        help: """
            Length of a billing grace period if Apple gives no end: the value set in App Store Connect, 3d, 16d or 28d.
            """)
    package static let staleTolerance = Setting.duration(
        "entitlements.stale.tolerance", default: .seconds(3_600), in: .zero ... .seconds(7 * 86_400),
        help: """
            How long a subscription remains entitled if Apple reported it as active after its known expiry (STALE).
            """)
    package static let uploadAge = Setting.duration(
        "entitlements.upload.age", default: .seconds(3_600), in: .zero ... .seconds(366 * 86_400),
        help: """
            Maximum age of an uploaded transaction's signature if its purchase is unknown. An older transaction \
            may have been refunded since: it is confirmed with Apple if appstore.api.key.file and its ids are set, and \
            rejected otherwise.
            """)
    package static let legacyTrust = Setting<LegacyTrust>.oneOf(
        "legacy.trust", default: .confirm,
        help: """
            Effect of version 1 notifications, which only a shared secret authenticates. confirm: they grant and \
            revoke nothing until Apple's App Store Server API confirms them, which requires appstore.api.key.file and \
            its ids. accept: without these settings, they are trusted until a statement signed by Apple \
            contradicts them. observe: they are recorded but change no answer.
            """)
    package static let appLegacyTrust = Setting<LegacyTrust>.oneOf(
        "apps.<bundleId>.legacy.trust", help: "legacy.trust for one app."
    ).optional
    package static let adminPort = 9465

    package static let schema = ConfigurationSchema(
        [
            host, port, products, topicsPrefix, renewalLeeway, outageLeeway, graceFallback, staleTolerance,
            stalenessLimit, staleAnswers, uploadAge, changes, stories,
            keys, accessLog, apps, AppStoreSettings.environments, AppStoreSettings.roots, AppStoreSettings.revocation,
            legacyTrust, appLegacyTrust, AppStoreSettings.refundRoundGap, OperatorEventSettings.events,
        ] + AppStoreSettings.apiSettings + StateSettings.all)

    /// Reports the errors that would prevent startup, by building the same components without starting them.
    ///
    /// - Throws: a ``ConfigurationError`` that names the key, its location and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try EntitlementsConfiguration(configuration)
    }
}
