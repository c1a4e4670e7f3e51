/// A path from a leaf to a pinned root, verified by OpenSSL. Only ``TrustStore`` creates one.
///
/// Verified: names, key identifiers, every signature except the root's own (which the store verified once), basic
/// constraints, path length, key usage, critical extensions. **Not verified**: time, the number of certificates,
/// application-specific extensions.
package struct CertificatePath: Sendable {
    /// The certificates, leaf first and root last; one to four.
    package let certificates: [Certificate]
    /// The period in which every certificate of the path is valid, including the root; nil if a date does not conform
    /// to RFC 5280.
    package let validity: CertificateValidity?

    init(certificates: [Certificate]) {
        self.certificates = certificates
        var window: CertificateValidity? = CertificateValidity(notBefore: .min, notAfter: .max)
        for certificate in certificates {
            guard let known = window, let own = certificate.validity else {
                window = nil
                break
            }
            window = known.intersection(own)
        }
        validity = window
    }

    /// The three certificates of a path that has exactly three; nil for any other path.
    package var leafIssuerRoot: (leaf: Certificate, issuer: Certificate, root: Certificate)? {
        guard certificates.count == 3 else { return nil }
        return (certificates[0], certificates[1], certificates[2])
    }
}

/// The reason why there is no path.
package struct ChainFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The meaning of the failure for callers. It is the same on OpenSSL 3.0 to 4.0 for the certificates in our tests.
    package enum Kind: String, Sendable {
        /// There is no path to a pinned root; also used for every code without its own case.
        case noTrustedRoot
        /// A signature, its algorithm or the signing key is unacceptable.
        case signature
        /// An issuer is not a certificate authority, or not one for this path.
        case notCertificateAuthority
        /// An extension is unknown and critical, or malformed.
        case certificateExtension
        /// The leaf's key is unacceptable.
        case leafKey
        /// A date is invalid. Time is not checked here, so this cannot occur unless OpenSSL misbehaves.
        case time
        /// Not the certificates' fault: no memory, or misuse by us. Never report it to a peer as its fault.
        case internalFailure
    }

    package let kind: Kind
    /// The code `X509_V_ERR_…` for logs and metrics: the first failure on an unauthenticated path.
    package let code: Int32
    /// Depth in the chain: 0 for the leaf, 1 for its issuer.
    package let depth: Int32
    /// OpenSSL's text for the code.
    package let message: String

    package var description: String { "\(message) (\(code)) at depth \(depth)" }
}

/// A path, or the reason why there is none.
package typealias ChainResult = Result<CertificatePath, ChainFailure>
