package import AppStoreModel
package import Configuration
internal import HTTPClient
internal import PipelineRuntime
internal import Records
internal import ServiceKit
internal import SignedRequests

/// Settings of `sluice-webhooks`, in addition to those of every consumer. Names and defaults are a contract.
package enum WebhooksSettings {
    package static let receivers = Setting(
        "webhooks.receivers", ValueKind.list(of: .receiverName), default: [],
        help: """
            Names of several receivers in one process, each with a group of its own and the settings \
            webhooks.receivers.<receiver>.…; without it there is one, that of webhooks.url.
            """,
        example: "crm,billing")
    package static let url = Setting(
        "webhooks.url", .endpointURL,
        help: "Where everything is posted. Redirects are not followed.",
        example: "https://api.example.com/entitlements"
    ).optional
    package static let secrets = Setting<SecretFile>.secretFile(
        "webhooks.secret.file",
        help: """
            File with the keys that deliveries are signed with, one a line: 24 to 64 bytes in base64, with or without \
            whsec_. Every key makes a signature, so that keys can be rotated.
            """,
        example: "/run/secrets/webhooks"
    ).optional
    package static let paused = Setting.boolean(
        "webhooks.paused", default: false,
        help: "Nothing is read for the receiver and nothing posted; its group goes on later where it stands.")
    package static let environments = Setting(
        "webhooks.environments", ValueKind.list(of: .oneOf(AppStoreEnvironment.published, text: \.rawValue)),
        default: [.production],
        help: "The environments whose purchases go to this receiver.")
    package static let content = Setting<WebhookContent>.oneOf(
        "webhooks.content", default: .state,
        help: """
            What is posted: state, the state of a purchase with each change; notification, each of Apple's \
            notifications, decoded; signed, each of Apple's notifications as Apple posted it, byte for byte.
            """)
    package static let apps = Setting(
        "webhooks.apps", ValueKind.list(of: .bundleId), default: [],
        help: "Bundle ids of the apps whose purchases go to this receiver; without it all.",
        example: "com.example.app,com.example.other")
    package static let types = Setting(
        "webhooks.types", ValueKind.list(of: .messageType), default: [],
        help: """
            Types that go to this receiver; without it all. A leading part stands for everything under it: \
            purchase, com.apple.appstore.DID_RENEW.
            """,
        example: "purchase.expired,purchase.revoked")
    package static let failures = Setting.integer(
        "webhooks.failures", default: 10, in: 2...1000,
        help: """
            How often the receiver must fail at a record (5xx, 401, 403, 404, no answer in time, one that is too long) \
            while it accepts others, before the record goes to the dead letter topic. webhooks.failures.time must be \
            over too.
            """)
    package static let failureTime = Setting.duration(
        "webhooks.failures.time", default: .seconds(3600), in: .zero...(.seconds(7 * 86_400)),
        help: "How long it must have failed so.")
    package static let gone = Setting<GoneReceiver>.oneOf(
        "webhooks.gone", default: .stop,
        help: """
            What follows when the receiver answers 410: stop, nothing is sent until a restart; retry, it is a failure \
            like others.
            """)
    package static let timeout = Setting.duration(
        "webhooks.timeout", default: .seconds(10), in: .milliseconds(100)...(.seconds(60)),
        help: "How long one attempt may take, from the connection to the last byte of the answer.")
    package static let concurrency = Setting.integer(
        "webhooks.concurrency", default: 8, in: 1...64,
        help: "Requests under way at once for each partition; those of one key follow each other.")
    package static let insecure = Setting.boolean(
        "webhooks.insecure", default: false, help: "Allows an http:// URL that is not this machine's own.")
    package static let roots = Setting.readableFile(
        "webhooks.ca.file",
        help: "PEM file of the roots that the receiver's certificate is checked with, instead of the system's.",
        example: "/etc/sluice/receiver-ca.pem"
    ).optional
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9468

    package static let schema = ConfigurationSchema(
        [
            url, secrets, content, environments, apps, types, timeout, concurrency, failures, failureTime, gone,
            insecure, roots, paused, receivers,
        ] + ofReceiver.settings + [topicsPrefix] + HTTPClientSettings.all)

    /// Finds every error that would prevent startup, without starting anything, by building the same plan.
    ///
    /// - Throws: a ``ConfigurationError`` that names the key, its source and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        for receiver in try consumers(configuration) { _ = try WebhooksPlan(receiver.configuration) }
    }
}

/// The consequence of a 410 from the receiver.
package enum GoneReceiver: String, Sendable, CaseIterable {
    case stop, retry
}

extension ValueKind where Value == String {
    /// Accepts anything that looks like a bundle id: no space, slash or star.
    fileprivate static var bundleId: ValueKind<String> { word("bundle id", "com.example.app", "-") }

    fileprivate static var receiverName: ValueKind<String> {
        ValueKind(
            name: "name", expected: "a name of letters, digits and hyphens, 32 at most", example: "crm", text: { $0 }
        ) { text throws(SettingProblem) in
            guard 1...32 ~= text.utf8.count,
                text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
            else { throw SettingProblem("is no name such as crm") }
            return text
        }
    }

    fileprivate static var messageType: ValueKind<String> { word("type", "purchase.expired", "_") }

    private static func word(_ name: String, _ example: String, _ further: Character) -> ValueKind<String> {
        ValueKind(name: name, expected: "a \(name)", example: example, text: { $0 }) { text throws(SettingProblem) in
            guard !text.isEmpty, !text.hasPrefix("."), !text.hasSuffix("."),
                text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == further) })
            else { throw SettingProblem("is no \(name) such as \(example)") }
            return text
        }
    }
}
