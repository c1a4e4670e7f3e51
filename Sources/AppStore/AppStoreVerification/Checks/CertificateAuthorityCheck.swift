internal import Cryptography

/// Check 9, second half: the intermediate says by basicConstraints and keyUsage that it may sign certificates. OpenSSL
/// alone tolerates an issuer without basicConstraints.
enum CertificateAuthorityCheck {
    static func check(_ intermediate: Certificate) throws(Rejection) {
        guard intermediate.maySignCertificates else {
            throw .refused(
                Refusal(
                    .notCertificateAuthority, at: .intermediateMarker, .forbidden,
                    detail: "the intermediate may not sign certificates"))
        }
    }
}
