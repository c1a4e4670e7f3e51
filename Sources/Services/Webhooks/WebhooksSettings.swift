package import AppStoreModel
package import Configuration
internal import HTTPClient
internal import OperatorEvents
internal import PipelineRuntime
internal import Records
internal import ServiceKit
internal import SignedRequests

/// The settings of `sluice-webhooks`, in addition to those of all consumers. Names and defaults are a public contract.
package enum WebhooksSettings {
    package static let receivers = Setting(
        "webhooks.receivers", ValueKind.list(of: .receiverName), default: [],
        help: """
            Names of several receivers for one process, each with its own group and settings \
            webhooks.receivers.<receiver>.…. Default: a single receiver at webhooks.url.
            """,
        example: "crm,billing")
    package static let url = Setting(
        "webhooks.url", .endpointURL,
        help: "URL to which messages are posted. Redirects are not followed.",
        example: "https://api.example.com/entitlements"
    ).optional
    package static let secrets = Setting<SecretFile>.secretFile(
        "webhooks.secret.file",
        help: """
            File with the keys that sign deliveries, one per line: 24 to 64 bytes in base64, with or without whsec_. \
            Every key adds a signature, so that keys can be rotated.
            """,
        example: "/run/secrets/webhooks"
    ).optional
    package static let paused = Setting.boolean(
        "webhooks.paused", default: false,
        help: "Pause the receiver: nothing is read or posted. When unpaused, it resumes from the committed offsets.")
    package static let environments = Setting(
        "webhooks.environments", ValueKind.list(of: .oneOf(AppStoreEnvironment.published, text: \.rawValue)),
        default: [.production],
        help: "Environments whose purchases are sent to this receiver.")
    package static let content = Setting<WebhookContent>.oneOf(
        "webhooks.content", default: .state,
        help: """
            Message content: state, the state of a purchase after each change; notification, each of Apple's \
            notifications in decoded form; signed, each of Apple's notifications exactly as posted by Apple; \
            operations, each operator event.
            """)
    package static let apps = Setting(
        "webhooks.apps", ValueKind.list(of: .bundleId), default: [],
        help: "Bundle ids of the apps whose purchases are sent to this receiver. Default: all.",
        example: "com.example.app,com.example.other")
    package static let types = Setting(
        "webhooks.types", ValueKind.list(of: .messageType), default: [],
        help: """
            Message types sent to this receiver. Default: all. A prefix matches all types below it, such as \
            purchase or com.apple.appstore.DID_RENEW.
            """,
        example: "purchase.expired,purchase.revoked")
    package static let failures = Setting.integer(
        "webhooks.failures", default: 10, in: 2...1000,
        help: """
            Number of failures for a record (5xx, 401, 403, 404, a timeout, a response that is too long), while other \
            records are accepted, before the record is dead-lettered. webhooks.failures.time must also have passed.
            """)
    package static let failureTime = Setting.duration(
        "webhooks.failures.time", default: .seconds(3600), in: .zero...(.seconds(7 * 86_400)),
        help: "Minimum time between a record's first failure and its dead letter.")
    package static let gone = Setting<GoneReceiver>.oneOf(
        "webhooks.gone", default: .stop,
        help: """
            Reaction to a 410 response: stop sends nothing until a restart; retry handles it like other failures.
            """)
    package static let timeout = Setting.duration(
        "webhooks.timeout", default: .seconds(10), in: .milliseconds(100)...(.seconds(60)),
        help: "Timeout for one attempt, from connecting to the last byte of the response.")
    package static let concurrency = Setting.integer(
        "webhooks.concurrency", default: 8, in: 1...64,
        help: "Maximum number of concurrent requests per partition; requests for one key are sequential.")
    package static let insecure = Setting.boolean(
        "webhooks.insecure", default: false, help: "Allow an http:// URL that points to another machine.")
    package static let roots = Setting.readableFile(
        "webhooks.ca.file",
        help: "PEM file with the root certificates that verify the receiver's certificate. Default: the system's.",
        example: "/etc/sluice/receiver-ca.pem"
    ).optional
    package static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    package static let adminPort = 9468

    package static let schema = ConfigurationSchema(
        [
            url, secrets, content, environments, apps, types, timeout, concurrency, failures, failureTime, gone,
            insecure, roots, paused, receivers,
        ] + ofReceiver.settings + [topicsPrefix, OperatorEventSettings.events] + HTTPClientSettings.all)

    /// Reports the errors that would prevent startup, by creating the same configuration without starting the service.
    ///
    /// - Throws: a ``ConfigurationError`` that contains the key, its source and the problem.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        _ = try ApplicationSettings.kafkaConfiguration(configuration)
        for receiver in try consumers(configuration) { _ = try WebhooksConfiguration(receiver.configuration) }
    }
}

/// The reaction to a 410 response from the receiver.
package enum GoneReceiver: String, Sendable, CaseIterable {
    case stop, retry
}

extension ValueKind where Value == String {
    /// Accepts text that looks like a bundle ID: ASCII letters, digits, periods and hyphens.
    fileprivate static var bundleId: ValueKind<String> { word("bundle id", "com.example.app", "-") }

    fileprivate static var receiverName: ValueKind<String> {
        ValueKind(
            name: "name", expected: "a name of at most 32 letters, digits and hyphens", example: "crm",
            text: { $0 }
        ) { text throws(SettingError) in
            guard 1...32 ~= text.utf8.count,
                text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
            else { throw SettingError("must be a name of at most 32 letters, digits and hyphens, such as crm") }
            return text
        }
    }

    fileprivate static var messageType: ValueKind<String> { word("type", "purchase.expired", "_") }

    private static func word(_ name: String, _ example: String, _ further: Character) -> ValueKind<String> {
        ValueKind(name: name, expected: "a \(name)", example: example, text: { $0 }) { text throws(SettingError) in
            guard !text.isEmpty, !text.hasPrefix("."), !text.hasSuffix("."),
                text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == further) })
            else { throw SettingError("must be a \(name) such as \(example)") }
            return text
        }
    }
}
