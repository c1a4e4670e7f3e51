internal import AppStoreSettings
package import Configuration
internal import KeyedState
internal import Records
internal import ServiceKit

/// Settings of `sluice-reconciler`, in addition to those of every consumer. Names and defaults are a contract.
package enum ReconcilerSettings {
    static let failuresInterval = Setting.duration(
        "reconciler.failures.interval", default: .seconds(3_600), in: .seconds(300)...(.seconds(86_400)),
        help: "How often Apple is asked for what it could not deliver.")
    static let failuresRange = Setting.duration(
        "reconciler.failures.range", default: .seconds(7 * 86_400), in: .seconds(3_600)...(.seconds(30 * 86_400)),
        help: "How far back; Apple tries again for 157 hours.")
    static let everythingInterval = Setting.duration(
        "reconciler.everything.interval", default: .seconds(86_400), in: .seconds(3_600)...(.seconds(7 * 86_400)),
        help: "How often Apple is asked for everything that it sent.")
    static let everythingRange = Setting.duration(
        "reconciler.everything.range", default: .seconds(2 * 86_400), in: .seconds(3_600)...(.seconds(30 * 86_400)),
        help: "How far back; longer than reconciler.everything.interval.")
    static let statusesInterval = Setting.duration(
        "reconciler.statuses.interval", default: .seconds(86_400), in: .seconds(3_600)...(.seconds(7 * 86_400)),
        help: """
            How often the subscriptions of which version 1 spoke, and those that need Apple's answer, are compared with \
            what Apple says of them: one request each.
            """)
    package static let statusesRepair = Setting.boolean(
        "reconciler.statuses.repair", default: true,
        help: "Where they differ, what Apple signed is published. false only counts and lists.")
    static let settle = Setting.duration(
        "reconciler.settle", default: .seconds(120), in: .seconds(15)...(.seconds(3_600)),
        help: """
            A notification that was signed later than this ago is not missed yet: it may be on its way. The next sweep \
            finds it.
            """)
    static let outage = Setting.duration(
        "reconciler.outage", default: .seconds(300), in: .seconds(30)...(.seconds(86_400)),
        help: """
            After so long without a notification in an environment's topic the first one that comes begins a sweep of \
            what Apple could not deliver meanwhile.
            """)
    static let callsPerSecond = Setting.integer(
        "reconciler.calls.per.second", default: 10, in: 1...25,
        help: """
            Requests to Apple each second for one app, evenly spaced; in the sandbox a tenth, as Apple's limit is. It is \
            part of the 50 that Apple allows for Get Notification History, and for Get All Subscription Statuses.
            """)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9469

    package static let schema = ConfigurationSchema(
        [
            topicsPrefix, failuresInterval, failuresRange, everythingInterval, everythingRange, statusesInterval,
            statusesRepair, settle, outage, callsPerSecond, AppStoreSettings.apps, AppStoreSettings.environments,
            AppStoreSettings.roots,
            AppStoreSettings.revocation,
        ] + AppStoreSettings.apiSettings + StateSettings.all)

    /// Finds every error that would prevent startup, without starting anything, by building the same components.
    ///
    /// - Throws: a ``ConfigurationError`` that names the key, its source and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        _ = try ReconcilerConfiguration(configuration)
    }
}
