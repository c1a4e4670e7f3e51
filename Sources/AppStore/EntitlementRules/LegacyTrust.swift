package import AppStoreModel

/// On what a statement rests.
package enum FactTrust: String, Sendable, CaseIterable {
    /// Apple's signature.
    case signed
    /// The shared secret of version 1 and older notifications, which is in every body and does not cover the content.
    case sharedSecret = "shared-secret"
}

/// What version 1 and older notifications may change of an app's entitlements: the setting `legacy.trust`.
package enum LegacyTrust: String, Hashable, Sendable, CaseIterable {
    /// They give and take nothing until Apple has signed it.
    case confirm
    /// They count as they are until Apple signs otherwise.
    case accept
    /// They are recorded, and change no answer.
    case observe
}

/// ``LegacyTrust`` by app.
package struct LegacyTrustRules: Hashable, Sendable {
    package var apps: [BundleId: LegacyTrust]
    /// Of every other app.
    package var others: LegacyTrust

    package init(apps: [BundleId: LegacyTrust] = [:], others: LegacyTrust = .confirm) {
        self.apps = apps
        self.others = others
    }

    package subscript(bundleId: BundleId) -> LegacyTrust { apps[bundleId] ?? others }
}
