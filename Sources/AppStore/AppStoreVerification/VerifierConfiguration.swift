public import AppStoreModel
internal import Cryptography

/// The trust anchors, apps and policies of a verifier.
public struct VerifierConfiguration: Sendable {
    /// The pinned roots in DER. They are the only trust anchors: neither the system's trust store nor the entries of
    /// `x5c` are trusted.
    public var roots: [[UInt8]]
    /// The apps for which notifications are accepted; must not be empty.
    public var apps: [AppIdentity]
    public var revocation: RevocationPolicy
    public var newCertificateChains: NewCertificateChainLimits
    /// Whether the notification's `version` must begin with `2.`. False only for Apple's test data, which has no
    /// version.
    public var requiresVersion: Bool
    /// Settings for precomputed key tables, off by default.
    public var tables = FixedKeyTables()

    /// - Parameter roots: the pinned roots; Apple Root CA - G3 by default.
    public init(
        roots: [[UInt8]] = [AppleRootCertificate.g3], apps: [AppIdentity], revocation: RevocationPolicy = .soft,
        newCertificateChains: NewCertificateChainLimits = NewCertificateChainLimits(), requiresVersion: Bool = true
    ) {
        self.roots = roots
        self.apps = apps
        self.revocation = revocation
        self.newCertificateChains = newCertificateChains
        self.requiresVersion = requiresVersion
    }
}

/// An app for which notifications are accepted.
public struct AppIdentity: Sendable, Hashable {
    public let bundleId: BundleId
    /// Apple's numeric app ID. It is compared only in Production, because it is optional in the sandbox.
    public let appAppleId: AppAppleId
    /// `Production`, `Sandbox` or both. The verifier rejects all other environments, because Apple does not sign
    /// notifications for them. Sandbox notifications for an app without `Sandbox` are accepted with the reason
    /// ``Reason/sandbox``.
    public let environments: Set<AppStoreEnvironment>

    public init(
        bundleId: BundleId, appAppleId: AppAppleId, environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
    }
}

/// How to treat a chain with an unknown revocation status. Revoked chains are always rejected.
public enum RevocationPolicy: String, Sendable, CaseIterable {
    /// Refuse with `ocsp_unknown`, which makes Apple retry later.
    case strict
    /// Accept, count, and raise an alert after five minutes.
    case soft
    /// Send no OCSP requests.
    case off
}

/// Size limits for a body, depending on the version.
public struct BodyLimits: Sendable, Hashable {
    /// The maximum size in bytes of a body with `signedPayload`. Larger bodies are rejected with `too_large`.
    public var signedBytes: Int
    /// The maximum number of member names, and of array elements, in a version 1 or older body. A value below a
    /// thousand has no effect, because every body may have a thousand of each.
    public var legacyEntries: Int

    public init(signedBytes: Int = .max, legacyEntries: Int = 0) {
        self.signedBytes = signedBytes
        self.legacyEntries = legacyEntries
    }
}

/// Limits on the validation of unknown certificate paths. A validation takes about a millisecond, and an untrusted
/// client can create any number of paths.
public struct NewCertificateChainLimits: Sendable, Hashable {
    /// The maximum number of paths validated per second.
    public var perSecond: Int
    /// The maximum number of distinct paths validated at the same time.
    public var concurrency: Int

    public init(perSecond: Int = 50, concurrency: Int = 1) {
        self.perSecond = perSecond
        self.concurrency = concurrency
    }
}

/// An error in the configuration, or on this machine, that prevents the verifier from starting.
public struct VerifierSetupError: Error, Equatable, CustomStringConvertible {
    public enum Code: Sendable {
        /// A root is not a certificate or not self-signed, or this machine's OpenSSL cannot verify it.
        case root
        /// There is no app, a duplicate app, or an environment for which Apple does not sign notifications.
        case apps
        /// The policy requires an OCSP requester but there is none, or the limits admit nothing.
        case settings
    }

    public let code: Code
    /// A single line with the problem and its fix.
    public let message: String

    public var description: String { message }
}

extension VerifierConfiguration {
    /// - Throws: ``VerifierSetupError`` if the configuration cannot work or is not permitted.
    func validate(requester: (any OCSPRequester)?) throws(VerifierSetupError) {
        guard !apps.isEmpty else {
            throw VerifierSetupError(
                code: .apps, message: "no app is configured: set apps to a bundle id and Apple's app id")
        }
        var seen: Set<String> = []
        for app in apps {
            guard seen.insert(app.bundleId.rawValue).inserted else {
                throw VerifierSetupError(code: .apps, message: "the app \(app.bundleId) is configured twice")
            }
            // Only these two environments are permitted, because anyone can sign data for Xcode and LocalTesting.
            guard !app.environments.isEmpty, app.environments.isSubset(of: [.production, .sandbox]) else {
                throw VerifierSetupError(
                    code: .apps,
                    message: "the app \(app.bundleId) must be configured for Production, Sandbox or both, and no other "
                        + "environment")
            }
        }
        guard revocation == .off || requester != nil else {
            throw VerifierSetupError(
                code: .settings,
                message: "revocation \(revocation.rawValue) requires an OCSP requester; without one, use off")
        }
        guard (1...100_000).contains(newCertificateChains.perSecond),
            (1...1000).contains(newCertificateChains.concurrency)
        else {
            throw VerifierSetupError(
                code: .settings,
                message: "new certificate chains: the limits must be 1 to 100000 per second and 1 to 1000 concurrent")
        }
        guard (1...FixedKeyTables.greatestRecheck).contains(tables.recheckedOneIn) else {
            throw VerifierSetupError(
                code: .settings,
                message: "tables: the recheck interval must be 1 to \(FixedKeyTables.greatestRecheck)")
        }
    }

    /// Returns the pinned roots after verifying that each is self-signed. This also tests this machine's OpenSSL.
    func trustStore() throws(VerifierSetupError) -> TrustStore {
        guard SHA256.digest(of: AppleRootCertificate.g3).hex == AppleRootCertificate.g3Fingerprint else {
            throw VerifierSetupError(
                code: .root, message: "the built-in Apple root does not have its published fingerprint")
        }
        do throws(CryptographyError) {
            var certificates: [Certificate] = []
            for root in roots { certificates.append(try Certificate(der: root)) }
            return try TrustStore(roots: certificates)
        } catch {
            throw VerifierSetupError(code: .root, message: "root.certificates: \(error.message)")
        }
    }
}
