internal import Cryptography

/// Part of check 11: the leaf is no authority, may sign data, and has a P-256 key, the only kind that ES256 knows.
enum LeafKeyCheck {
    static func key(_ leaf: Certificate) throws(Rejection) -> P256PublicKey {
        guard !leaf.isCertificateAuthority, leaf.maySignData, let key = P256PublicKey(certificate: leaf) else {
            throw .refused(
                Refusal(.leafKey, at: .signature, .forbidden, detail: "the leaf has no P-256 key for signatures"))
        }
        return key
    }
}
