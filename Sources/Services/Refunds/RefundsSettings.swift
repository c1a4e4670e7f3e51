package import Configuration
internal import SignedRequests

/// Settings of `sluice-refunds` beside those of every consumer. Names and defaults are a contract.
package enum RefundsSettings {
    package static let rules = Setting.readableFile(
        "refunds.rules",
        help: """
            JSON file with the rules that decide what Apple is told; without it nothing is preferred, and consent is \
            what the service at refunds.provider.url says.
            """,
        example: "/etc/sluice/refund-rules.json"
    ).optional

    package static let providerURL = Setting(
        "refunds.provider.url", .endpointURL,
        help: """
            Your service that knows consent and consumption: each case is posted to it, signed, and it answers with \
            JSON. Redirects are not followed.
            """,
        example: "https://api.example.com/refunds"
    ).optional
    package static let providerSecret = Setting<SecretFile>.secretFile(
        "refunds.provider.secret.file",
        help: """
            File with the keys that requests to refunds.provider.url are signed with, as for webhooks.secret.file: one \
            a line, 24 to 64 bytes in base64. It is read again when it changes.
            """,
        example: "/run/secrets/refunds-provider"
    ).optional
    package static let providerTimeout = Setting.duration(
        "refunds.provider.timeout", default: .seconds(5), in: .milliseconds(100)...(.seconds(60)),
        help: "How long one attempt may take, from the connection to the last byte of the answer.")
    package static let providerRoots = Setting.readableFile(
        "refunds.provider.ca.file",
        help: "PEM file of the roots that this service's certificate is checked with, instead of the system's.",
        example: "/etc/sluice/provider-ca.pem"
    ).optional
    package static let providerInsecure = Setting.boolean(
        "refunds.provider.insecure", default: false,
        help: "Allows an http:// URL that is not this machine's own.")

    /// Those of rules and provider.
    package static let ruleSettings: [any AnySetting] = [
        rules, providerURL, providerSecret, providerTimeout, providerRoots, providerInsecure,
    ]
}
