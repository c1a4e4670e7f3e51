package import AppStoreModel
package import AppStoreVerification
package import Configuration
internal import Foundation
package import HTTPServer
internal import Records
internal import ServiceKit

/// Every setting of the ingress beside those that all executables share. Names and defaults are a contract.
package enum IngressSettings {
    package static let host = Setting.string(
        "http.host", default: "0.0.0.0", help: "The address that the public listener binds to.")
    package static let port = Setting.integer(
        "http.port", default: 8080, in: 0...65535,
        help: "The port of the public listener; 0 takes a free one and logs it.")
    package static let apps = Setting(
        "apps", ValueKind.list(of: ConfiguredApp.kind),
        help: "The apps whose notifications are accepted: bundle id and Apple's app id, from App Store Connect.",
        example: "com.example.app:1234567890")
    /// As ``apps``, for tools that can do without.
    package static let appsIfAny = Setting(
        "apps", ValueKind.list(of: ConfiguredApp.kind), default: [],
        help: "The apps that notifications may be for: bundle id and Apple's app id, from App Store Connect.",
        example: "com.example.app:1234567890")
    package static let environments = Setting(
        "apps.<bundleId>.environments", ValueKind.list(of: .oneOf(AppStoreEnvironment.published, text: \.rawValue)),
        default: AppStoreEnvironment.published,
        help: "The environments of one app. Sandbox notifications always go to the sandbox topic.",
        example: "Production")
    package static let roots = Setting.readableFiles(
        "root.certificates", help: "Root certificates, PEM or DER, in place of the built-in Apple Root CA - G3.",
        example: "/etc/sluice/root.pem"
    ).optional
    package static let revocation = Setting<RevocationPolicy>.oneOf(
        "revocation", default: .soft,
        help: """
            OCSP: strict answers 503 while nothing is known about a certificate, soft accepts and raises an alert, off \
            never asks. A revoked certificate is always refused.
            """)
    package static let workers = Setting.integer(
        "verification.workers", default: max(1, ProcessInfo.processInfo.activeProcessorCount), in: 1...64,
        help: "Threads that verify signatures; by default one for each core.", example: "2")
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
            Networks of one's own proxies: their connections are not limited per second and may be idle for 75 s, and \
            they are believed what http.forwarded names.
            """, example: "10.0.0.0/8")
    package static let forwarded = Setting<ForwardedAddress>.oneOf(
        "http.forwarded", default: .off,
        help: """
            Where http.proxies name the client, whose network then counts in limits and log: the field Forwarded or \
            X-Forwarded-For, or a PROXY protocol header (version 2) before each connection.
            """)

    package static let adminPort = ApplicationSettings.adminPort(default: 9464)
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")

    package static let all: [any AnySetting] = [
        topicsPrefix, adminPort, host, port, apps, environments, roots, revocation, workers, rememberedNotifications,
        quarantineBytesPerHour,
        proxies, forwarded,
    ]
}

/// An element of `apps`.
package struct ConfiguredApp: Sendable, Equatable {
    package let bundleId: String
    package let appAppleId: Int64

    static let kind = ValueKind<ConfiguredApp>(
        name: "APP", expected: "a bundle id and Apple's app id with a colon between them",
        example: "com.example.app:1234567890", text: { "\($0.bundleId):\($0.appAppleId)" }
    ) { text throws(SettingProblem) in
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let appAppleId = Int64(parts[1]), appAppleId > 0 else {
            throw SettingProblem("is not a bundle id and Apple's app id, such as com.example.app:1234567890")
        }
        guard !parts[0].isEmpty, parts[0].utf8.count <= 155, parts[0].utf8.allSatisfy(isBundleIdByte) else {
            throw SettingProblem("has a bundle id with other characters than letters, digits, dots and hyphens")
        }
        return ConfiguredApp(bundleId: String(parts[0]), appAppleId: appAppleId)
    }

    private static func isBundleIdByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
