/// The reason why a body was rejected, quarantined or sent to the sandbox topic, as a stable code for metrics, logs and
/// quarantine headers.
///
/// For the consequences of each reason, see ``step``, ``status`` and `Sources/AppStore/README.md`. Future versions may
/// add cases.
public enum Reason: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The body is empty.
    case empty
    /// The body is not JSON in UTF-8, is nested too deeply, has more than a thousand names, or has trailing bytes.
    case json
    /// The body is JSON, but not an object with exactly one `signedPayload` string, or it also has a
    /// `notification_type`.
    case jsonShape = "json_shape"
    /// An object in the body contains a duplicate member name.
    case jsonDuplicate = "json_dup"
    /// A body with `signedPayload` exceeds the size limit.
    case tooLarge = "too_large"

    /// The JWS is not three segments of base64url characters separated by two dots.
    case jwsForm = "jws_form"
    /// A segment has padding, characters of the standard base64 alphabet, an impossible length or nonzero spare bits.
    case jwsBase64 = "jws_b64"
    /// The header is not a JSON object, or is ambiguous.
    case jwsHeader = "jws_header"
    /// `alg` is not exactly `ES256`.
    case algorithm = "alg"
    /// The signature is not 64 bytes long.
    case signatureLength = "jws_sig_len"
    /// `x5c` is not an array of two to four strings, or one of its first two entries is not base64 or exceeds 3,072
    /// bytes.
    case certificateListForm = "x5c_form"
    /// One of the first two entries of `x5c` is not exactly one DER certificate.
    case certificateEncoding = "x5c_der"

    /// There is no path to a pinned root.
    case chainRoot = "chain_root"
    /// A signature in the path is invalid or uses a forbidden algorithm.
    case chainSignature = "chain_sig"
    /// Apple's receipt-signing marker is missing from the leaf or occurs more than once.
    case leafMarker = "leaf_marker"
    /// Apple's developer relations marker is missing from the intermediate or occurs more than once.
    case intermediateMarker = "inter_marker"
    /// A certificate in the path was issued by a certificate that is not a certificate authority.
    case notCertificateAuthority = "not_ca"
    /// An extension is malformed, critical and unknown, or not allowed by this profile.
    case certificateExtension = "cert_ext"
    /// The leaf's key is not a P-256 signing key.
    case leafKey = "leaf_key"
    /// Unknown certificate chains arrive faster than the limits allow them to be validated. Known chains are not
    /// affected.
    case newCertificateChains = "new_chains"
    /// The signature is not valid for the signed bytes and the leaf's key.
    case signature
    /// The path is not valid at the relevant time: now or, for objects from the App Store Server API, when the object
    /// was signed. In the first case, the status is 503 within 48 hours of the validity period, because a retry can
    /// then help.
    case certificateTime = "cert_time"
    /// The issuer has revoked a certificate in the path.
    case revoked
    /// `signedDate` is more than 24 hours ahead. This machine's clock is more likely to be wrong than Apple's.
    case clock
    /// The policy is strict and the revocation status is unknown.
    case revocationUnknown = "ocsp_unknown"

    /// The notification was signed for an app or environment that is not configured.
    case audience
    /// The notification was signed in the sandbox for an app that is configured without it. It is published to the
    /// sandbox topic.
    case sandbox
    /// The signed object is a transaction, renewal info or app transaction rather than a notification.
    case typeConfusion = "type_confusion"

    /// The bundleId is configured, but the environment is absent, malformed, or one for which Apple does not sign
    /// notifications, or `appAppleId` is absent in Production.
    case profileAudience = "profile_audience"
    /// The header has `crit` or `b64`.
    case profileCritical = "profile_crit"
    /// `x5c` does not consist of leaf, intermediate and root.
    case profileChain = "profile_chain"
    /// `notificationType` is absent.
    case profileType = "profile_type"
    /// `notificationUUID` is absent or not a UUID.
    case profileUUID = "profile_uuid"
    /// `version` does not begin with `2.`.
    case profileVersion = "profile_version"
    /// A nested JWS is absent, is not signed by Apple, is of the wrong kind, or belongs to a different app, environment
    /// or purchase.
    case profileNested = "profile_nested"
    /// An integer that the pipeline needs has a fraction or does not fit in 64 bits.
    case profileNumber = "profile_number"
    /// `signedDate` is absent, not a date, or before the App Store opened.
    case profileDate = "profile_date"
    /// The payload does not have exactly one container that names the app, such as `data` or `summary`, or the
    /// container is malformed or does not identify the environment.
    case profileContainer = "profile_container"
    /// The signed payload is not a single JSON object in UTF-8 of limited depth.
    case profileEncoding = "profile_encoding"
    /// An object in the signed payload contains a duplicate member name.
    case profileDuplicate = "profile_dup"
    /// A signed string is too long, contains control characters, or violates the grammar of its field.
    case profileText = "profile_text"

    /// A library call failed because of this machine (memory, configuration), not the sender.
    case `internal`

    public var description: String { rawValue }

    /// The check that fails for this reason. The signature check can also fail with `internal`.
    public var step: VerificationStep { row.step }

    /// The HTTP status. Apple retries if, and only if, a retry can help. A 200 is sent only after Kafka has
    /// acknowledged the record.
    public var status: Int { row.status }

    private var row: (step: VerificationStep, status: Int) {
        switch self {
        case .empty, .json, .jsonShape, .jsonDuplicate: (.body, 400)
        case .tooLarge: (.body, 413)
        case .jwsForm, .jwsBase64, .jwsHeader: (.compactForm, 400)
        case .algorithm: (.algorithm, 400)
        case .certificateListForm, .certificateEncoding: (.certificateList, 400)
        case .chainRoot, .chainSignature, .certificateExtension: (.pinnedRoot, 403)
        case .newCertificateChains: (.pinnedRoot, 429)
        case .internal: (.pinnedRoot, 503)
        case .leafMarker: (.leafMarker, 403)
        case .intermediateMarker, .notCertificateAuthority: (.intermediateMarker, 403)
        case .signatureLength: (.signature, 400)
        case .leafKey, .signature: (.signature, 403)
        case .certificateTime: (.validity, 403)
        case .clock: (.validity, 503)
        case .revoked: (.revocation, 403)
        case .revocationUnknown: (.revocation, 503)
        case .audience, .typeConfusion: (.audience, 403)
        case .sandbox: (.audience, 200)
        case .profileAudience, .profileCritical, .profileChain, .profileType, .profileUUID, .profileVersion,
            .profileNested,
            .profileNumber, .profileDate, .profileContainer, .profileEncoding, .profileDuplicate, .profileText:
            (.profile, 200)
        }
    }
}

/// The verifier's checks in execution order. The listener makes the first two of the fourteen checks (method and path,
/// framing and size). Validity and revocation are checked only after the signature; otherwise, an untrusted client
/// could provoke retries with Apple's public certificate chain.
public enum VerificationStep: Int, Sendable, Hashable, CaseIterable {
    /// The outer JSON has exactly one `signedPayload` string.
    case body = 3
    /// The JWS is three segments of strict base64url.
    case compactForm = 4
    /// `alg` is ES256.
    case algorithm = 5
    /// `x5c` has two to four entries, and the first two are certificates.
    case certificateList = 6
    /// There is a path to a pinned root in which every signature is valid.
    case pinnedRoot = 7
    /// The leaf has Apple's marker.
    case leafMarker = 8
    /// The intermediate has Apple's marker and may issue certificates.
    case intermediateMarker = 9
    /// The signature is valid for the exact bytes.
    case signature = 10
    /// The certificates are valid at the relevant time: now or, for objects from the App Store Server API, when the
    /// object was signed.
    case validity = 11
    /// No certificate is revoked.
    case revocation = 12
    /// The app and the environment are configured.
    case audience = 13
    /// Type, UUID, version, nested objects and dates match Apple's documentation.
    case profile = 14
}
