internal import Cryptography
internal import Primitives

/// Checks 6 to 9: the certificates in `x5c`, and the path from the leaf to a pinned root.
enum CertificateChecks {
    private static let leafMarker = OID("1.2.840.113635.100.6.11.1")
    private static let intermediateMarker = OID("1.2.840.113635.100.6.2.1")

    // MARK: Check 6

    /// Check 6: decodes `x5c`, an array of two to four strings. Each of the first two must be the base64 encoding of
    /// one DER certificate of limited size.
    ///
    /// The size is checked first, because some OpenSSL versions take quadratic time. A third or fourth entry can be
    /// anything: trust depends only on the path, and a notification with a list other than leaf, intermediate, root is
    /// quarantined rather than rejected.
    /// - Returns: the decoded entries, with nil for a third or fourth entry that is too long or not base64.
    static func encodings(_ header: JWSHeader) throws(Refusal) -> [[UInt8]?] {
        guard let texts = header.certificateTexts, (2...4).contains(texts.count) else {
            throw Refusal(.certificateListForm, "x5c is not an array of two to four strings")
        }
        var encodings: [[UInt8]?] = []
        for (index, text) in texts.enumerated() {
            let encoding = decoded(text)
            guard encoding != nil || index >= 2 else {
                throw Refusal(.certificateListForm, "an x5c entry is not base64, or is too long")
            }
            encodings.append(encoding)
        }
        return encodings
    }

    /// Parses the certificates. A third or fourth entry that is not a certificate is returned as nil.
    static func certificates(_ encodings: [[UInt8]?]) throws(Refusal) -> [Certificate?] {
        var certificates: [Certificate?] = []
        for (index, encoding) in encodings.enumerated() {
            let certificate = encoding.flatMap { try? Certificate(der: $0) }
            guard certificate != nil || index >= 2 else {
                throw Refusal(.certificateEncoding, "an x5c entry is not a single DER certificate")
            }
            certificates.append(certificate)
        }
        return certificates
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        guard let bytes = try? Base64.decode(Array(text.utf8)) else { return nil }
        return (1...Certificate.recommendedMaximumByteCount).contains(bytes.count) ? bytes : nil
    }

    // MARK: Checks 7 to 9

    /// Check 7: finds a path from the leaf through the intermediate to a pinned root in which every signature is valid
    /// and strong. Names are never trusted.
    ///
    /// This includes the second half of check 9: the library accepts an issuer only if its basicConstraints and
    /// keyUsage permit it to sign certificates.
    static func path(
        _ certificates: [Certificate?], in trust: TrustStore
    ) throws(Refusal) -> (leaf: Certificate, intermediate: Certificate, root: Certificate, CertificatePath) {
        let path: CertificatePath
        switch trust.validate(chain: certificates.compactMap { $0 }) {
        case .success(let found): path = found
        case .failure(let failure): throw refusal(failure, certificates, trust)
        }
        guard let (leaf, intermediate, root) = path.leafIssuerRoot else {
            throw Refusal(.chainRoot, "the path does not consist of leaf, intermediate and root")
        }
        guard isStrong(leaf.signatureAlgorithm), isStrong(intermediate.signatureAlgorithm) else {
            throw Refusal(.chainSignature, "a certificate is not signed with ECDSA and at least SHA-256")
        }
        guard intermediate.publicKeyKind == .p256 || intermediate.publicKeyKind == .p384 else {
            throw Refusal(.chainSignature, "the intermediate's key is neither P-256 nor P-384")
        }
        return (leaf, intermediate, root, path)
    }

    /// Part of check 7: both certificates are X.509 version 3 and have no extensions that OpenSSL cannot parse or that
    /// constrain names or policies. Apple's certificates have no such extensions, and policies are not evaluated here.
    static func checkExtensions(leaf: Certificate, intermediate: Certificate) throws(Refusal) {
        for certificate in [leaf, intermediate] {
            guard certificate.hasUsableExtensions, !certificate.constrainsPath else {
                throw Refusal(
                    .certificateExtension,
                    "a certificate is not version 3, or has an extension that this profile does not allow")
            }
        }
    }

    /// Checks 8 and 9: the leaf and the intermediate each contain their Apple marker exactly once.
    ///
    /// The leaf's marker permits signing App Store receipts. Without this check, any certificate under Apple's root,
    /// such as a developer's, could sign notifications. The intermediate's marker belongs to Apple Worldwide Developer
    /// Relations.
    static func checkMarkers(leaf: Certificate, intermediate: Certificate) throws(Refusal) {
        guard isMarked(leaf: leaf) else {
            throw Refusal(.leafMarker, "the leaf lacks Apple's receipt-signing extension")
        }
        guard isMarked(intermediate: intermediate) else {
            throw Refusal(.intermediateMarker, "the intermediate lacks Apple's Worldwide Developer Relations extension")
        }
    }

    private static func isMarked(leaf: Certificate) -> Bool { leaf.extensionCount(leafMarker) == 1 }

    private static func isMarked(intermediate: Certificate) -> Bool {
        intermediate.extensionCount(intermediateMarker) == 1
    }

    private static func isStrong(_ algorithm: CertificateSignatureAlgorithm) -> Bool {
        switch algorithm {
        case .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512: true
        case .other: false
        }
    }

    /// Maps the library's first failure to a refusal. The path is unauthenticated, so the refusal is only
    /// informational.
    private static func refusal(
        _ failure: ChainError, _ certificates: [Certificate?], _ trust: TrustStore
    ) -> Refusal {
        switch failure.kind {
        case .noTrustedRoot:
            Refusal(
                .chainRoot, "no path to a pinned root",
                unknownRootFingerprint: unknownRootFingerprint(certificates, trust))
        case .signature: Refusal(.chainSignature, "a certificate's signature is invalid")
        case .notCertificateAuthority:
            Refusal(.notCertificateAuthority, "an issuer in the path is not a certificate authority")
        case .certificateExtension:
            Refusal(.certificateExtension, "an extension is malformed, or critical and unknown")
        case .leafKey: Refusal(.leafKey, "the leaf's key is too small or on an unknown curve")
        case .time: Refusal(.certificateTime, "a certificate's date cannot be parsed")
        case .internalFailure: Refusal(.internal, "failed to verify the certificates")
        }
    }

    private static func unknownRootFingerprint(_ certificates: [Certificate?], _ trust: TrustStore) -> String? {
        guard certificates.count >= 2, let leaf = certificates[0], let intermediate = certificates[1],
            let last = certificates[certificates.count - 1], !trust.roots.contains(last), isMarked(leaf: leaf),
            isMarked(intermediate: intermediate)
        else { return nil }
        return SHA256.digest(of: last.der).hex
    }
}

/// A certificate chain that passed checks 7 to 9. The validity period, revocation and the signature of the JWS have not
/// been checked yet.
final class ValidatedPath: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let key: P256PublicKey
    /// The point of ``key``, 04 || x || y.
    let publicKey: [UInt8]
    let validity: CertificateValidity
    let serials: CertificateSerials
    /// Whether `x5c` is anything other than leaf, intermediate and one more certificate. An unexpected list can be
    /// authentic, but it differs from what Apple sends.
    let hasUnexpectedShape: Bool
    /// The time of the validation, in milliseconds since 1970.
    let validatedAt: Int64

    /// Validates the entries of `x5c`. This takes about a millisecond.
    init(_ certificates: [Certificate?], in trust: TrustStore, at now: Int64) throws(Refusal) {
        let (leaf, intermediate, root, path) = try CertificateChecks.path(certificates, in: trust)
        try CertificateChecks.checkExtensions(leaf: leaf, intermediate: intermediate)
        try CertificateChecks.checkMarkers(leaf: leaf, intermediate: intermediate)
        let key = try SignatureChecks.key(of: leaf)
        guard let validity = path.validity else {
            throw Refusal(.certificateTime, "a certificate's date is not encoded as RFC 5280 requires")
        }
        self.leaf = leaf
        self.intermediate = intermediate
        self.root = root
        self.key = key
        publicKey = key.uncompressedPoint
        self.validity = validity
        serials = CertificateSerials(
            leaf: leaf.serialNumber, intermediate: intermediate.serialNumber, root: root.serialNumber)
        hasUnexpectedShape = certificates.count != 3 || certificates[2] == nil || certificates[1] != intermediate
        validatedAt = now
    }
}
