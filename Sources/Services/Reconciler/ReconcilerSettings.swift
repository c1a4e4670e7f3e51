internal import AppStoreSettings
package import Configuration
internal import KeyedState
internal import OperatorEvents
internal import Records
internal import ServiceKit

/// Settings of `sluice-reconciler`, in addition to the settings of all consumers. Names and defaults are a public
/// contract.
package enum ReconcilerSettings {
    static let failuresInterval = Setting.duration(
        "reconciler.failures.interval", default: .seconds(3_600), in: .seconds(300)...(.seconds(86_400)),
        help: "Interval between sweeps of Apple's failed deliveries.")
    static let failuresRange = Setting.duration(
        "reconciler.failures.range", default: .seconds(7 * 86_400), in: .seconds(3_600)...(.seconds(30 * 86_400)),
        help: "Time range covered by a sweep of failed deliveries; Apple retries for 157 hours.")
    static let everythingInterval = Setting.duration(
        "reconciler.everything.interval", default: .seconds(86_400), in: .seconds(3_600)...(.seconds(7 * 86_400)),
        help: "Interval between sweeps of all notifications sent by Apple.")
    static let everythingRange = Setting.duration(
        "reconciler.everything.range", default: .seconds(2 * 86_400), in: .seconds(3_600)...(.seconds(30 * 86_400)),
        help: "Time range covered by a sweep of all notifications; must exceed reconciler.everything.interval.")
    static let statusesInterval = Setting.duration(
        "reconciler.statuses.interval", default: .seconds(86_400), in: .seconds(3_600)...(.seconds(7 * 86_400)),
        help: """
            Interval between comparisons with Apple's subscription status (one request per subscription), for \
            subscriptions with version 1 notifications or an unexplained state.
            """)
    package static let statusesRepair = Setting.boolean(
        "reconciler.statuses.repair", default: true,
        help: """
            Publish Apple's signed status where it differs from the published state. If false, differences are only \
            counted and listed.
            """)
    static let settle = Setting.duration(
        "reconciler.settle", default: .seconds(120), in: .seconds(15)...(.seconds(3_600)),
        help: """
            Minimum age of a missing notification. A younger one may still be in transit; the next \
            sweep finds it.
            """)
    static let outage = Setting.duration(
        "reconciler.outage", default: .seconds(300), in: .seconds(30)...(.seconds(86_400)),
        help: """
            Gap without notifications in an environment's topic after which the next notification starts a sweep of \
            the failed deliveries in the gap.
            """)
    static let callsPerSecond = Setting.integer(
        "reconciler.calls.per.second", default: 10, in: 1...25,
        help: """
            Requests per second to Apple for one app, evenly spaced; a tenth in the sandbox, like Apple's limit. \
            These requests count toward the 50 that Apple allows for Get Notification History and for Get All \
            Subscription Statuses.
            """)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9469

    package static let schema = ConfigurationSchema(
        [
            topicsPrefix, OperatorEventSettings.events, failuresInterval, failuresRange, everythingInterval,
            everythingRange, statusesInterval, statusesRepair, settle, outage, callsPerSecond, AppStoreSettings.apps,
            AppStoreSettings.environments,
            AppStoreSettings.roots,
            AppStoreSettings.revocation,
        ] + AppStoreSettings.apiSettings + StateSettings.all)

    /// Reports the errors that would prevent startup, by building the same components without starting them.
    ///
    /// - Throws: a ``ConfigurationError`` with the key, the source of its value, and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try ReconcilerConfiguration(configuration)
    }
}
