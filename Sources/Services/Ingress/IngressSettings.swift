package import AppStoreModel
package import AppStoreSettings
package import AppStoreVerification
package import Configuration
internal import FoundationEssentials
package import HTTPServer
internal import OperatorEvents
internal import Records
internal import ServiceKit

/// The settings of the ingress, in addition to those shared by all executables. Names and defaults are a public
/// contract.
package enum IngressSettings {
    package static let host = Setting.string(
        "http.host", default: "0.0.0.0", help: "Address of the public listener.")
    package static let port = Setting.integer(
        "http.port", default: 8080, in: 0...65535,
        help: "Port of the public listener; 0 selects a free port and logs it.")
    package static let apps = AppStoreSettings.apps
    package static let appsIfAny = AppStoreSettings.appsIfAny
    package static let environments = AppStoreSettings.environments
    package static let sharedSecretFile = AppStoreSettings.sharedSecretFile
    package static let roots = AppStoreSettings.roots
    package static let revocation = AppStoreSettings.revocation
    package static let workers = Setting.integer(
        "verification.workers", default: max(1, ProcessInfo.processInfo.activeProcessorCount), in: 1...64,
        help: "Threads that verify signatures. Default: one per core.", example: "2")
    package static let tables = Setting<TablesSwitch>.oneOf(
        "verification.tables", default: .off,
        help: """
            Whether to precompute tables for Apple's signing keys, which makes verification about twice as fast. The \
            tables rely on a deprecated OpenSSL function.
            """)
    package static let tablesRecheck = Setting.integer(
        "verification.tables.recheck", default: FixedKeyTables().recheckedOneIn, in: 1...1_000_000,
        help: "One in this many signatures accepted by a key table is verified again without the table.", example: "1")
    package static let rememberedNotifications = Setting.integer(
        "duplicates.remembered", default: 100_000, in: 1...10_000_000,
        help: "Number of acknowledged notifications to remember, so that a repeated notification adds no record.")
    package static let quarantineBytesPerHour = Setting.byteSize(
        "quarantine.bytes.per.hour", default: 64 << 20, in: 1 << 20...1 << 40,
        help:
            "Maximum bytes per hour written to the quarantine topic. Beyond it, nonconforming notifications get a 503."
    )
    package static let proxies = Setting.strings(
        "http.proxies", default: ["127.0.0.0/8", "::1"],
        help: """
            Networks of your own proxies. Their connections are exempt from the per-second limit, may be idle for \
            http.idle, and are trusted to report the client's address as configured by http.forwarded.
            """, example: "10.0.0.0/8")
    package static let forwarded = Setting<ForwardedAddress>.oneOf(
        "http.forwarded", default: .off,
        help: """
            How http.proxies report the client's address, which limits and log lines then use: the header field \
            Forwarded or X-Forwarded-For, or a PROXY protocol header (version 2) before each connection.
            """)

    package static let idle = Setting.duration(
        "http.idle", default: .seconds(75), in: .seconds(1)...(.seconds(3_600)),
        help: """
            Idle timeout for connections from http.proxies. It must exceed the idle timeout of the proxy or load \
            balancer, so that no request arrives on a connection that is being closed.
            """)

    package static let adminPort = ApplicationSettings.adminPort(default: 9464)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")

    package static let all: [any AnySetting] = [
        topicsPrefix, adminPort, host, port, apps, environments, sharedSecretFile, roots, revocation, workers,
        tables, tablesRecheck, OperatorEventSettings.events,
        rememberedNotifications,
        quarantineBytesPerHour,
        proxies, forwarded, idle,
    ]
}

/// The values of `verification.tables`.
package enum TablesSwitch: String, Sendable, CaseIterable {
    case off, on
}
