/// A path from a leaf to a pinned root, verified by OpenSSL. Only ``TrustStore`` creates paths.
///
/// Verified: names, key identifiers, every signature (the root's own signature only once, by the store), basic
/// constraints, path length, key usage, and critical extensions. **Not verified**: time, the number of certificates,
/// and application-specific extensions.
package struct CertificatePath: Sendable {
    /// The certificates from the leaf to the root, one to four.
    package let certificates: [Certificate]
    /// The period in which all certificates are valid, including the root, or nil if a date does not conform to RFC
    /// 5280.
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

    /// The leaf, its issuer and the root of a path with exactly three certificates, or nil for a path of any other
    /// length.
    package var leafIssuerRoot: (leaf: Certificate, issuer: Certificate, root: Certificate)? {
        guard certificates.count == 3 else { return nil }
        return (certificates[0], certificates[1], certificates[2])
    }
}

/// The reason there is no path to a pinned root.
package struct ChainError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers. For the certificates in our tests, it is the same from OpenSSL 3.0 to 4.0.
    package enum Kind: String, Sendable {
        /// There is no path to a pinned root. Every code without a more specific case also has this kind.
        case noTrustedRoot
        /// A signature, its algorithm or the signing key is unacceptable.
        case signature
        /// An issuer is not a certificate authority, is not allowed to sign certificates, or allows only shorter paths.
        case notCertificateAuthority
        /// An extension is unknown and critical, or malformed.
        case certificateExtension
        /// The leaf's key is unacceptable.
        case leafKey
        /// A date is invalid. Verification does not check the time, so this occurs only if OpenSSL misbehaves.
        case time
        /// Memory is exhausted, or the program misused OpenSSL. The certificates and the peer are not at fault.
        case internalFailure
    }

    package let kind: Kind
    /// The `X509_V_ERR_…` code of the first failure, for logs and metrics. It is determined by unauthenticated input.
    package let code: Int32
    /// The depth in the chain: 0 for the leaf, 1 for its issuer.
    package let depth: Int32
    /// OpenSSL's description of the code.
    package let message: String

    package var description: String { "\(message) (\(code)) at depth \(depth)" }
}

/// A path, or the reason there is none.
package typealias ChainResult = Result<CertificatePath, ChainError>
