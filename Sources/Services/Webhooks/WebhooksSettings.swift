package import AppStoreModel
package import Configuration
internal import Records

/// Settings of `sluice-webhooks` beside those of every consumer. Names and defaults are a contract.
package enum WebhooksSettings {
    package static let url = Setting(
        "webhooks.url", .webhookURL,
        help: "Where every state is posted. Redirects are not followed.",
        example: "https://api.example.com/entitlements")
    package static let secrets = Setting<SecretFile>.secretFile(
        "webhooks.secret.file",
        help: """
            File with the keys that deliveries are signed with, one a line: 24 to 64 bytes in base64, with or without \
            whsec_. Every key makes a signature, so that keys can be rotated.
            """,
        example: "/run/secrets/webhooks")
    package static let environments = Setting(
        "webhooks.environments", ValueKind.list(of: .oneOf(AppStoreEnvironment.published, text: \.rawValue)),
        default: [.production],
        help: "The environments whose states go to this receiver.")
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

    package static let schema = ConfigurationSchema([
        url, secrets, environments, timeout, concurrency, insecure, roots, topicsPrefix,
    ])
}

extension ValueKind where Value == String {
    /// An absolute `https` or `http` URL without a fragment, which is never sent.
    fileprivate static var webhookURL: ValueKind<String> {
        ValueKind(
            name: "URL", expected: "an https:// URL", example: "https://api.example.com/webhooks", text: { $0 }
        ) { text throws(SettingProblem) in
            if let problem = WebhookURL(text).problem { throw SettingProblem(problem) }
            return text
        }
    }
}
