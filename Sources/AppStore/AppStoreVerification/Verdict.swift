/// What the verifier says of one body.
public enum Verdict: Sendable {
    /// Signed by Apple, for a configured app, as documented: belongs in a notification topic.
    case accepted(VerifiedNotification)
    /// Signed by Apple and for us, but odd: belongs in quarantine, then 200.
    case nonconforming(NonconformingNotification)
    /// Signed by Apple, but not for us, or no notification: nothing is stored.
    case notForUs(Refusal)
    /// Not Apple's, or no longer to be trusted: nothing is stored.
    case notApple(Refusal)
    /// A retry can help: certificates just outside their validity, revocation not known yet, a fault of ours.
    case retryLater(Refusal)
    /// Chains never seen before arrive faster than they may be examined; known ones are not affected.
    case tooManyNewCertificateChains
    /// A version 1 or status update body (`notification_type` beside a shared secret): unsigned, never verified here.
    case legacy
}

/// Which kind of HTTP answer a refusal deserves. The statuses themselves belong to the ingress.
public enum StatusClass: Sendable, Hashable {
    /// Malformed: 400.
    case badRequest
    /// Well formed and not acceptable: 403.
    case forbidden
    /// Worth another attempt: 503.
    case unavailable
}

/// The checks of one decision, by their numbers. They run in the order of `allCases`: time and revocation are judged
/// only once a signature stands, or a stranger with Apple's public chain could provoke a retry.
public enum VerificationStep: Int, Sendable, Hashable, CaseIterable {
    /// The outer JSON has exactly one text `signedPayload`.
    case body = 3
    /// Three segments of strict base64url.
    case compactForm = 4
    /// `alg` is ES256.
    case algorithm = 5
    /// `x5c` holds two to four certificates.
    case certificateList = 6
    /// A path to a pinned root with every signature good.
    case pinnedRoot = 7
    /// The leaf's marker.
    case leafMarker = 8
    /// The intermediate's marker, and that it may issue certificates.
    case intermediateMarker = 9
    /// The signature over the exact bytes.
    case signature = 11
    /// Validity now.
    case validity = 10
    /// Not revoked.
    case revocation = 12
    /// App and environment.
    case audience = 13
    /// Type, UUID, version, nested objects, dates.
    case profile = 14
}

/// Why nothing of a body is stored.
public struct Refusal: Sendable, Hashable {
    public let reason: Reason
    /// The check that failed.
    public let step: VerificationStep
    public let statusClass: StatusClass
    /// A constant that says more than the reason; never text of the sender.
    public let detail: String
    /// For `cert_time`: by how many seconds now lies outside the validity of the path.
    public let secondsOutsideValidity: Int64?
    /// The chain, where it was validated.
    public let certificates: CertificateSerials?
    /// The app named by a payload that Apple signed, at most 256 bytes; otherwise nil.
    public let bundleId: String?
    /// For `chain_root` where leaf and intermediate carry Apple's markers: SHA-256 of the last certificate of `x5c`, 64
    /// lower-case hexadecimal digits, unless that one is pinned. Either a root is missing here, or a stranger copied the
    /// markers, as anybody can.
    public let unknownRootFingerprint: String?

    init(
        _ reason: Reason, at step: VerificationStep, _ statusClass: StatusClass, detail: String = "",
        secondsOutsideValidity: Int64? = nil, certificates: CertificateSerials? = nil, bundleId: String? = nil,
        unknownRootFingerprint: String? = nil
    ) {
        self.reason = reason
        self.step = step
        self.statusClass = statusClass
        self.detail = detail
        self.secondsOutsideValidity = secondsOutsideValidity
        self.certificates = certificates
        self.bundleId = bundleId
        self.unknownRootFingerprint = unknownRootFingerprint
    }
}

/// Serial numbers of a validated path, lower-case hexadecimal without leading zeros.
public struct CertificateSerials: Sendable, Hashable {
    public let leaf: String
    public let intermediate: String
    public let root: String
}
