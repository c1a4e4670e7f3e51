/// A path that OpenSSL has verified, from a leaf to a pinned root. Only ``TrustStore`` makes one.
///
/// Verified: names, key identifiers, every signature but the root's own (which the store verified once), basic constraints,
/// path length, key usage, critical extensions. **Not judged**: time, the path's length, what extensions mean to the caller.
package struct CertificatePath: Sendable {
    /// Leaf first, root last; one to four certificates.
    package let certificates: [Certificate]
    /// When every certificate of the path is valid, the root included; nil when a date is not of RFC 5280's form.
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

    /// The three certificates of a path that has exactly three; nil for a shorter or longer one.
    package var leafIssuerRoot: (leaf: Certificate, issuer: Certificate, root: Certificate)? {
        guard certificates.count == 3 else { return nil }
        return (certificates[0], certificates[1], certificates[2])
    }
}

/// Why there is no path.
package struct ChainFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the failure means to a caller. The same on OpenSSL 3.0 to 4.0 for what we generate in tests.
    package enum Kind: String, Sendable {
        /// No path to a pinned root; also every code without a case of its own.
        case noTrustedRoot
        /// A signature, its algorithm or the key that made it is not good enough.
        case signature
        /// An issuer that is not a certificate authority, or not for this path.
        case notCertificateAuthority
        /// An extension that is unknown and critical, or malformed.
        case certificateExtension
        /// The leaf's key.
        case leafKey
        /// A date. Time is not judged here, so it cannot happen while OpenSSL behaves.
        case time
        /// Not the certificates' fault: no memory, or our misuse. Never answer a peer as if it were his.
        case internalFailure
    }

    package let kind: Kind
    /// `X509_V_ERR_…`, for logs and metrics: the first failure of an unauthenticated path.
    package let code: Int32
    /// 0 for the leaf, 1 for its issuer.
    package let depth: Int32
    /// OpenSSL's words for the code.
    package let message: String

    package var description: String { "\(message) (\(code)) at depth \(depth)" }
}

/// A path, or why there is none.
package typealias ChainResult = Result<CertificatePath, ChainFailure>
