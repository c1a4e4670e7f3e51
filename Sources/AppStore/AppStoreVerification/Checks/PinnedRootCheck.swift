internal import Cryptography

/// Check 7: a path leaf, intermediate, pinned root, every signature good and strong. Names are never trusted.
///
/// The second half of check 9 is in it too: the library refuses an issuer that does not say by basicConstraints and keyUsage
/// that it may sign certificates.
enum PinnedRootCheck {
    static func path(
        _ certificates: [Certificate?], in trust: TrustStore
    ) throws(Rejection) -> (leaf: Certificate, intermediate: Certificate, root: Certificate, CertificatePath) {
        let path: CertificatePath
        switch trust.validate(chain: certificates.compactMap { $0 }) {
        case .success(let found): path = found
        case .failure(let failure): throw rejection(failure, certificates, trust)
        }
        guard let (leaf, intermediate, root) = path.leafIssuerRoot else {
            throw refused(.chainRoot, "the path is not leaf, intermediate, root")
        }
        guard isStrong(leaf.signatureAlgorithm), isStrong(intermediate.signatureAlgorithm) else {
            throw refused(.chainSignature, "a certificate is not signed with ECDSA and SHA-256 or longer")
        }
        guard intermediate.publicKeyKind == .p256 || intermediate.publicKeyKind == .p384 else {
            throw refused(.chainSignature, "the intermediate's key is not P-256 or P-384")
        }
        return (leaf, intermediate, root, path)
    }

    private static func isStrong(_ algorithm: CertificateSignatureAlgorithm) -> Bool {
        switch algorithm {
        case .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512: true
        case .other: false
        }
    }

    /// The library names the first failure of a path that nobody has authenticated; it is good for logs, no more.
    private static func rejection(
        _ failure: ChainFailure, _ certificates: [Certificate?], _ trust: TrustStore
    ) -> Rejection {
        switch failure.kind {
        case .noTrustedRoot:
            .refused(
                Refusal(
                    .chainRoot, at: .pinnedRoot, .forbidden, detail: "no path to a pinned root",
                    unknownRootFingerprint: unknownRootFingerprint(certificates, trust)))
        case .signature: refused(.chainSignature, "a certificate's signature is not good")
        case .notCertificateAuthority:
            .refused(
                Refusal(
                    .notCertificateAuthority, at: .intermediateMarker, .forbidden,
                    detail: "an issuer of the path is no certificate authority"))
        case .certificateExtension: refused(.certificateExtension, "an extension is critical and unknown, or malformed")
        case .leafKey:
            .refused(Refusal(.leafKey, at: .signature, .forbidden, detail: "the leaf's key is too small or not named"))
        case .time: refused(.certificateTime, "a date of the path is not readable")
        case .internalFailure:
            .refused(Refusal(.internal, at: .pinnedRoot, .unavailable, detail: "the certificates could not be judged"))
        }
    }

    private static func unknownRootFingerprint(_ certificates: [Certificate?], _ trust: TrustStore) -> String? {
        guard certificates.count >= 2, let leaf = certificates[0], let intermediate = certificates[1],
            let last = certificates[certificates.count - 1], !trust.roots.contains(last),
            LeafMarkerCheck.isMarked(leaf),
            IntermediateMarkerCheck.isMarked(intermediate)
        else { return nil }
        return SHA256.digest(of: last.der).hex
    }

    private static func refused(_ reason: Reason, _ detail: String) -> Rejection {
        .refused(Refusal(reason, at: .pinnedRoot, .forbidden, detail: detail))
    }
}
