internal import Cryptography

/// A chain that passed checks 7 to 9: everything about it but time, revocation and what it signed.
final class ValidatedPath: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let key: P256PublicKey
    let validity: CertificateValidity
    let serials: CertificateSerials
    /// `x5c` is not leaf, intermediate and one more certificate: authentic, but not as Apple sends it.
    let hasUnexpectedShape: Bool
    /// Milliseconds since 1970.
    let validatedAt: Int64

    /// Examines the entries of `x5c`. Costs about a millisecond.
    init(_ certificates: [Certificate?], in trust: TrustStore, at now: Int64) throws(Rejection) {
        let (leaf, intermediate, root, path) = try PinnedRootCheck.path(certificates, in: trust)
        try CertificateExtensionCheck.check(leaf: leaf, intermediate: intermediate)
        try LeafMarkerCheck.check(leaf)
        try IntermediateMarkerCheck.check(intermediate)
        let key = try LeafKeyCheck.key(leaf)
        guard let validity = path.validity else {
            throw .refused(
                Refusal(
                    .certificateTime, at: .validity, .forbidden,
                    detail: "a date of the path is not in the form of RFC 5280"))
        }
        self.leaf = leaf
        self.intermediate = intermediate
        self.root = root
        self.key = key
        self.validity = validity
        serials = CertificateSerials(
            leaf: leaf.serialNumber, intermediate: intermediate.serialNumber, root: root.serialNumber)
        hasUnexpectedShape = certificates.count != 3 || certificates[2] == nil || certificates[1] != intermediate
        validatedAt = now
    }
}
