/// A path from a leaf to a pinned root, verified by OpenSSL. Only ``TrustStore`` creates one.
///
/// Verified: names, key identifiers, every signature except the root's own (which the store has verified once), basic
/// constraints, path length, key usage, and critical extensions. **Not verified**: time, the number of certificates,
/// and application-specific extensions.
package struct CertificatePath: Sendable {
    /// The certificates, from the leaf to the root; one to four.
    package let certificates: [Certificate]
    /// The period during which every certificate of the path is valid, including the root; nil if a date does not
    /// conform to RFC 5280.
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

    /// The three certificates of a path with exactly three certificates; nil for any other path.
    package var leafIssuerRoot: (leaf: Certificate, issuer: Certificate, root: Certificate)? {
        guard certificates.count == 3 else { return nil }
        return (certificates[0], certificates[1], certificates[2])
    }
}

/// The reason why there is no path to a pinned root.
package struct ChainFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The meaning of the failure for callers. It is the same on OpenSSL 3.0 to 4.0 for the certificates in our tests.
    package enum Kind: String, Sendable {
        /// There is no path to a pinned root. Also used for every code that has no case of its own.
        case noTrustedRoot
        /// A signature, its algorithm or the signing key is unacceptable.
        case signature
        /// An issuer is not a certificate authority, or not an authority for this path.
        case notCertificateAuthority
        /// An extension is unknown and critical, or malformed.
        case certificateExtension
        /// The leaf's key is unacceptable.
        case leafKey
        /// A date is invalid. Time is not checked here, so this cannot occur unless OpenSSL misbehaves.
        case time
        /// The certificates are not at fault: memory is exhausted, or we misused OpenSSL. Never blame the peer for it.
        case internalFailure
    }

    package let kind: Kind
    /// The code `X509_V_ERR_…` for logs and metrics: the first failure on a path that is not authenticated.
    package let code: Int32
    /// Depth in the chain: 0 for the leaf, 1 for its issuer.
    package let depth: Int32
    /// OpenSSL's text for the code.
    package let message: String

    package var description: String { "\(message) (\(code)) at depth \(depth)" }
}

/// A path, or the reason why there is no path.
package typealias ChainResult = Result<CertificatePath, ChainFailure>
