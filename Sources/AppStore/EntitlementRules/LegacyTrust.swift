package import AppStoreModel

/// How a statement is authenticated.
package enum FactTrust: String, Sendable, CaseIterable {
    /// Apple's signature.
    case signed
    /// The shared secret in version 1 or older notifications. Every body contains the secret, but it does not
    /// authenticate the content.
    case sharedSecret = "shared-secret"
}

/// How version 1 or older notifications may change an app's entitlements: the `legacy.trust` setting.
package enum LegacyTrust: String, Hashable, Sendable, CaseIterable {
    /// The notifications grant and remove nothing until Apple has signed the same statement.
    case confirm
    /// The notifications apply unchanged until Apple signs a contradicting statement.
    case accept
    /// The notifications are recorded but do not change any answer.
    case observe
}

/// The ``LegacyTrust`` for each app.
package struct LegacyTrustRules: Hashable, Sendable {
    package var apps: [BundleId: LegacyTrust]
    /// The policy for all other apps.
    package var others: LegacyTrust

    package init(apps: [BundleId: LegacyTrust] = [:], others: LegacyTrust = .confirm) {
        self.apps = apps
        self.others = others
    }

    package subscript(bundleId: BundleId) -> LegacyTrust { apps[bundleId] ?? others }
}
