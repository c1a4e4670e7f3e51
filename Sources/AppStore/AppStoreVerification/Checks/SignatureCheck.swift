internal import Cryptography

/// Check 11: 64 bytes that are the leaf's signature over the exact bytes `header.payload` (RFC 7518 section 3.4).
enum SignatureCheck {
    static let byteCount = 64

    static func checkLength(_ signature: [UInt8]) throws(Rejection) {
        guard signature.count == byteCount else {
            throw .refused(
                Refusal(.signatureLength, at: .signature, .badRequest, detail: "the signature is not 64 bytes long"))
        }
    }

    static func check(
        _ signature: [UInt8], of digest: SHA256Digest, by key: P256PublicKey, certificates: CertificateSerials
    ) throws(Rejection) {
        switch key.verify(digest: digest, rawSignature: signature) {
        case .valid: return
        case .invalid:
            throw .refused(
                Refusal(
                    .signature, at: .signature, .forbidden, detail: "the signature is not the leaf's",
                    certificates: certificates))
        case .failed:
            // Not an answer: no memory, or a broken OpenSSL. The sender may be genuine.
            throw .refused(
                Refusal(.internal, at: .signature, .unavailable, detail: "the signature could not be judged"))
        }
    }
}
