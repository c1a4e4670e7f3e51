/// Why a body was refused, quarantined or routed aside: the stable code of metrics, logs and quarantine headers.
///
/// The set may grow, so a reason is compared by its text and an unknown one is stored as it is.
public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// The body: check 3.
extension Reason {
    /// The body has no bytes.
    public static let empty = Reason(rawValue: "empty")
    /// The body is not JSON in UTF-8, is nested too deep, or has bytes after the value.
    public static let json = Reason(rawValue: "json")
    /// The body is JSON, but not an object with exactly one non-empty text `signedPayload`.
    public static let jsonShape = Reason(rawValue: "json_shape")
    /// An object of the body names a member twice.
    public static let jsonDuplicate = Reason(rawValue: "json_dup")
}

/// The JWS and its header: checks 4 to 6, and the length of the signature.
extension Reason {
    /// Not three segments of base64url letters separated by two dots.
    public static let jwsForm = Reason(rawValue: "jws_form")
    /// Padding, the standard alphabet, an impossible length or spare bits in a segment.
    public static let jwsBase64 = Reason(rawValue: "jws_b64")
    /// The header is not a JSON object, or is ambiguous.
    public static let jwsHeader = Reason(rawValue: "jws_header")
    /// `alg` is not exactly `ES256`.
    public static let algorithm = Reason(rawValue: "alg")
    /// The signature is not 64 bytes long.
    public static let signatureLength = Reason(rawValue: "jws_sig_len")
    /// `x5c` is not an array of two to four texts whose first two are base64 of at most 3,072 bytes.
    public static let certificateListForm = Reason(rawValue: "x5c_form")
    /// One of the first two entries of `x5c` is not one DER certificate and nothing else.
    public static let certificateEncoding = Reason(rawValue: "x5c_der")
}

/// The certificates and the signature: checks 7 to 12.
extension Reason {
    /// No path to a pinned root.
    public static let chainRoot = Reason(rawValue: "chain_root")
    /// A signature of the path does not verify or uses an algorithm that is not allowed.
    public static let chainSignature = Reason(rawValue: "chain_sig")
    /// The leaf does not carry Apple's receipt signing marker exactly once.
    public static let leafMarker = Reason(rawValue: "leaf_marker")
    /// The intermediate does not carry Apple's developer relations marker exactly once.
    public static let intermediateMarker = Reason(rawValue: "inter_marker")
    /// A certificate that may not issue certificates did so.
    public static let notCertificateAuthority = Reason(rawValue: "not_ca")
    /// An extension that is unknown and critical, malformed, or that this profile does not allow.
    public static let certificateExtension = Reason(rawValue: "cert_ext")
    /// The leaf's key is not a P-256 key for signatures.
    public static let leafKey = Reason(rawValue: "leaf_key")
    /// The signature is not the leaf's over these bytes.
    public static let signature = Reason(rawValue: "signature")
    /// Now is outside the validity of the path.
    public static let certificateTime = Reason(rawValue: "cert_time")
    /// The issuer has revoked a certificate of the path.
    public static let revoked = Reason(rawValue: "revoked")
    /// The policy is strict and no answer about revocation is known.
    public static let revocationUnknown = Reason(rawValue: "ocsp_unknown")
}

/// For whom it is and of what kind: check 13.
extension Reason {
    /// Signed for an app or environment that is not configured.
    public static let audience = Reason(rawValue: "audience")
    /// Signed in the sandbox for an app configured without it: goes to the sandbox topic.
    public static let sandbox = Reason(rawValue: "sandbox")
    /// Another kind of signed object (transaction, renewal info, app transaction) in place of a notification.
    public static let typeConfusion = Reason(rawValue: "type_confusion")
}

/// Signed by Apple and for a configured app, yet not as Apple documents it: check 14, quarantine.
extension Reason {
    /// The header has `crit` or `b64`.
    public static let profileCritical = Reason(rawValue: "profile_crit")
    /// `x5c` is not leaf, intermediate, root.
    public static let profileChain = Reason(rawValue: "profile_chain")
    /// `notificationType` is absent.
    public static let profileType = Reason(rawValue: "profile_type")
    /// `notificationUUID` is absent or no UUID.
    public static let profileUUID = Reason(rawValue: "profile_uuid")
    /// `version` does not begin with `2.`.
    public static let profileVersion = Reason(rawValue: "profile_version")
    /// A nested JWS is absent, not Apple's, of another kind, app, environment or purchase.
    public static let profileNested = Reason(rawValue: "profile_nested")
    /// An integer the pipeline needs has a fraction or does not fit 64 bits.
    public static let profileNumber = Reason(rawValue: "profile_number")
    /// `signedDate` is absent, outside the life of the App Store, or more than 24 hours ahead.
    public static let profileDate = Reason(rawValue: "profile_date")
    /// Not exactly one of `data`, `summary`, `externalPurchaseToken` and `appData`, or one that is ambiguous.
    public static let profileContainer = Reason(rawValue: "profile_container")
    /// The signed payload is not one JSON object in UTF-8 of bounded depth.
    public static let profileEncoding = Reason(rawValue: "profile_encoding")
    /// An object of the signed payload names a member twice.
    public static let profileDuplicate = Reason(rawValue: "profile_dup")
    /// A signed text is too long, has control characters, or breaks the grammar of its field.
    public static let profileText = Reason(rawValue: "profile_text")
}

extension Reason {
    /// A library call failed for a reason of this machine (memory, configuration): never the sender's fault.
    public static let `internal` = Reason(rawValue: "internal")

    /// Every reason this target gives, for tests, documentation and metric labels.
    public static let all: [Reason] = [
        .empty, .json, .jsonShape, .jsonDuplicate, .jwsForm, .jwsBase64, .jwsHeader, .algorithm, .signatureLength,
        .certificateListForm, .certificateEncoding, .chainRoot, .chainSignature, .leafMarker, .intermediateMarker,
        .notCertificateAuthority, .certificateExtension, .leafKey, .signature, .certificateTime, .revoked,
        .revocationUnknown, .audience, .sandbox, .typeConfusion, .profileCritical, .profileChain, .profileType,
        .profileUUID, .profileVersion, .profileNested, .profileNumber, .profileDate, .profileContainer,
        .profileEncoding, .profileDuplicate, .profileText, .internal,
    ]
}
