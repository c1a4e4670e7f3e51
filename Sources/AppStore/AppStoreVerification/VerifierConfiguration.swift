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

/// What happens while nothing is known about the revocation of a chain. *Revoked* always refuses.
public enum RevocationPolicy: String, Sendable, CaseIterable {
    /// `ocsp_unknown`, retry later.
    case strict
    /// Accept, count, and raise an alert after five minutes.
    case soft
    /// Never ask.
    case off
}

/// How fast certificate paths that were never seen may be examined. Each costs about a millisecond, and a stranger can
/// make them at will.
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
        /// A root is no certificate, is not self-signed, or this machine's OpenSSL cannot verify it.
        case root
        /// No app, an app twice, or an environment whose data Apple does not sign.
        case apps
        /// A policy that asks for revocation without anybody to ask, or limits that let nothing through.
        case settings
    }

    public let code: Code
    /// One line that says what is wrong and what to change.
    public let message: String

    public var description: String { message }
}
