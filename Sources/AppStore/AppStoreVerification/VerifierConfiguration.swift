public import AppStoreModel
internal import Cryptography

/// What a verifier trusts and for whom it verifies.
public struct VerifierConfiguration: Sendable {
    /// The pinned roots, each as DER. Nothing else is ever an anchor, neither the system's store nor an entry of `x5c`.
    public var roots: [[UInt8]]
    /// The apps whose notifications are for us; never empty.
    public var apps: [AppIdentity]
    public var revocation: RevocationPolicy
    public var newCertificateChains: NewCertificateChainLimits
    /// The notification's `version` must begin with `2.`. Off only for Apple's own test data, which has none.
    public var requiresVersion: Bool
    /// Off unless set.
    public var tables = FixedKeyTables()

    /// - Parameter roots: Apple Root CA - G3 unless given.
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

/// An app whose notifications are for us.
public struct AppIdentity: Sendable, Hashable {
    public let bundleId: BundleId
    /// Apple's number of the app; compared in Production only, because the sandbox need not send it.
    public let appAppleId: AppAppleId
    /// `Production`, `Sandbox` or both. Others are refused by the verifier's initialiser: their data is not signed by
    /// Apple. Sandbox notifications of an app without `Sandbox` are accepted and marked.
    public let environments: Set<AppStoreEnvironment>

    public init(
        bundleId: BundleId, appAppleId: AppAppleId, environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
    }
}

/// What happens while nothing is known about the revocation of a chain. *Revoked* always refuses.
public enum RevocationPolicy: String, Sendable, CaseIterable {
    /// `ocsp_unknown`, retry later.
    case strict
    /// Accept, count, and raise an alert after five minutes.
    case soft
    /// Never ask.
    case off
}

/// How large a body may be by its form.
public struct BodyLimits: Sendable, Hashable {
    /// Bytes of a body with `signedPayload`. Beyond: `too_large`.
    public var signedBytes: Int
    /// Names of members, and elements of arrays, in a version 1 or older body; a thousand of each where none is expected.
    public var legacyEntries: Int

    public init(signedBytes: Int = .max, legacyEntries: Int = 0) {
        self.signedBytes = signedBytes
        self.legacyEntries = legacyEntries
    }
}

/// How fast certificate paths that were never seen may be examined. Each costs about a millisecond, and an untrusted
/// client can make them at will.
public struct NewCertificateChainLimits: Sendable, Hashable {
    /// Paths a second.
    public var perSecond: Int
    /// Different paths examined at the same time.
    public var concurrency: Int

    public init(perSecond: Int = 50, concurrency: Int = 1) {
        self.perSecond = perSecond
        self.concurrency = concurrency
    }
}

/// A verifier that cannot start. Never caused by what a sender posted.
public struct VerifierSetupError: Error, Equatable, CustomStringConvertible {
    public enum Code: Sendable {
        /// A root is not a certificate or not self-signed, or this machine's OpenSSL cannot verify it.
        case root
        /// No app, an app twice, or an environment whose data Apple does not sign.
        case apps
        /// A policy that needs an OCSP requester where there is none, or limits that let nothing through.
        case settings
    }

    public let code: Code
    /// One line that says what is wrong and what to change.
    public let message: String

    public var description: String { message }
}

extension VerifierConfiguration {
    /// - Throws: ``VerifierSetupError`` for a configuration that cannot work or must not.
    func validate(requester: (any OCSPRequester)?) throws(VerifierSetupError) {
        guard !apps.isEmpty else {
            throw VerifierSetupError(code: .apps, message: "no app is configured: set apps to bundle id and Apple's id")
        }
        var seen: Set<String> = []
        for app in apps {
            guard seen.insert(app.bundleId.rawValue).inserted else {
                throw VerifierSetupError(code: .apps, message: "the app \(app.bundleId) is configured twice")
            }
            // Anyone can sign Xcode and LocalTesting data.
            guard !app.environments.isEmpty, app.environments.isSubset(of: [.production, .sandbox]) else {
                throw VerifierSetupError(
                    code: .apps,
                    message: "the app \(app.bundleId) may have the environments Production and Sandbox only")
            }
        }
        guard revocation == .off || requester != nil else {
            throw VerifierSetupError(
                code: .settings,
                message: "revocation \(revocation.rawValue) needs an OCSP requester; use off without one")
        }
        guard (1...100_000).contains(newCertificateChains.perSecond),
            (1...1000).contains(newCertificateChains.concurrency)
        else {
            throw VerifierSetupError(
                code: .settings, message: "new chains: 1 to 100000 a second, 1 to 1000 at the same time")
        }
        guard (1...FixedKeyTables.greatestRecheck).contains(tables.recheckedOneIn) else {
            throw VerifierSetupError(
                code: .settings,
                message: "tables: one signature in 1 to \(FixedKeyTables.greatestRecheck) is verified again")
        }
    }

    /// The pinned roots, each checked by its own signature: that is also a test of this machine's OpenSSL.
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
