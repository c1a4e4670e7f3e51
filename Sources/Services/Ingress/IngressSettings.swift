package import AppStoreModel
package import AppStoreSettings
package import AppStoreVerification
package import Configuration
internal import FoundationEssentials
package import HTTPServer
internal import Records
internal import ServiceKit

/// The settings of the ingress, in addition to those shared by all executables. Names and defaults are a contract.
package enum IngressSettings {
    package static let host = Setting.string(
        "http.host", default: "0.0.0.0", help: "The address that the public listener binds to.")
    package static let port = Setting.integer(
        "http.port", default: 8080, in: 0...65535,
        help: "The port of the public listener; 0 takes a free one and logs it.")
    package static let apps = AppStoreSettings.apps
    package static let appsIfAny = AppStoreSettings.appsIfAny
    package static let environments = AppStoreSettings.environments
    package static let sharedSecretFile = AppStoreSettings.sharedSecretFile
    package static let roots = AppStoreSettings.roots
    package static let revocation = AppStoreSettings.revocation
    package static let workers = Setting.integer(
        "verification.workers", default: max(1, ProcessInfo.processInfo.activeProcessorCount), in: 1...64,
        help: "Threads that verify signatures; by default one for each core.", example: "2")
    package static let tables = Setting<TablesSwitch>.oneOf(
        "verification.tables", default: .off,
        help: """
            Whether multiples of the keys with which Apple signs are computed in advance, which makes verification about \
            twice as fast. They stand on a function of OpenSSL that is deprecated.
            """)
    package static let tablesRecheck = Setting.integer(
        "verification.tables.recheck", default: FixedKeyTables().recheckedOneIn, in: 1...1_000_000,
        help: "Of so many signatures that such a table accepts, one is verified again without it.", example: "1")
    package static let rememberedNotifications = Setting.integer(
        "duplicates.remembered", default: 100_000, in: 1...10_000_000,
        help: "Acknowledged notifications that are remembered, so that one sent again adds no record.")
    package static let quarantineBytesPerHour = Setting.byteSize(
        "quarantine.bytes.per.hour", default: 64 << 20, in: 1 << 20...1 << 40,
        help:
            "Bytes that the quarantine topic accepts per hour; beyond it nonconforming notifications are answered 503.")
    package static let proxies = Setting.strings(
        "http.proxies", default: ["127.0.0.0/8", "::1"],
        help: """
            Networks of one's own proxies: their connections are not limited per second and may be idle for http.idle, \
            and they are believed what http.forwarded names.
            """, example: "10.0.0.0/8")
    package static let forwarded = Setting<ForwardedAddress>.oneOf(
        "http.forwarded", default: .off,
        help: """
            Where http.proxies name the client, whose network then counts in limits and log: the field Forwarded or \
            X-Forwarded-For, or a PROXY protocol header (version 2) before each connection.
            """)

    package static let idle = Setting.duration(
        "http.idle", default: .seconds(75), in: .seconds(1)...(.seconds(3_600)),
        help: """
            How long a connection of http.proxies may be idle. Longer than the proxy or load balancer keeps it, so that no \
            request meets a connection that is being closed.
            """)

    package static let adminPort = ApplicationSettings.adminPort(default: 9464)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")

    package static let all: [any AnySetting] = [
        topicsPrefix, adminPort, host, port, apps, environments, sharedSecretFile, roots, revocation, workers,
        tables, tablesRecheck,
        rememberedNotifications,
        quarantineBytesPerHour,
        proxies, forwarded, idle,
    ]
}

/// The values of `verification.tables`.
package enum TablesSwitch: String, Sendable, CaseIterable {
    case off, on
}
