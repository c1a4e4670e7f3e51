internal import Cryptography

/// Part of check 7: both certificates are X.509 version 3, and carry no extension that OpenSSL cannot read or that
/// constrains names and policies; Apple's carry none, and policies are not evaluated here.
enum CertificateExtensionCheck {
    static func check(leaf: Certificate, intermediate: Certificate) throws(Rejection) {
        for certificate in [leaf, intermediate] {
            guard certificate.hasUsableExtensions, !certificate.constrainsPath else {
                throw .refused(
                    Refusal(
                        .certificateExtension, at: .pinnedRoot, .forbidden,
                        detail: "not version 3, or an extension that this profile does not allow"))
            }
        }
    }
}
