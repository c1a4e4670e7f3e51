package import AppStoreModel

/// The way in which a statement is authenticated.
package enum FactTrust: String, Sendable, CaseIterable {
    /// Apple's signature.
    case signed
    /// The shared secret of notifications of version 1 or older. Every body contains the secret, which does not
    /// authenticate the content.
    case sharedSecret = "shared-secret"
}

/// How notifications of version 1 or older may change the entitlements of an app: the setting `legacy.trust`.
package enum LegacyTrust: String, Hashable, Sendable, CaseIterable {
    /// The notifications neither grant nor remove anything until Apple has signed the same statement.
    case confirm
    /// The notifications apply unchanged until Apple signs a contradicting statement.
    case accept
    /// The notifications are recorded but do not change any answer.
    case observe
}

/// The ``LegacyTrust`` of each app.
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
