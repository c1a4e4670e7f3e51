internal import Cryptography

/// Check 6: `x5c` holds two to four texts; the first two are base64 of one DER certificate each, of bounded size.
///
/// The size comes first because some OpenSSL versions parse in time that grows with its square. A third or fourth entry
/// may be anything: the path decides, and what is not leaf, intermediate, root is odd, not refused.
enum CertificateListCheck {
    /// The entries as decoded bytes; nil where a third or fourth is not base64 or too long.
    static func encodings(_ header: JWSHeader) throws(Rejection) -> [[UInt8]?] {
        guard let texts = header.certificateTexts, (2...4).contains(texts.count) else {
            throw refused(.certificateListForm, "x5c is not an array of two to four texts")
        }
        var encodings: [[UInt8]?] = []
        for (index, text) in texts.enumerated() {
            let encoding = decoded(text)
            guard encoding != nil || index >= 2 else {
                throw refused(.certificateListForm, "an entry of x5c is not base64 of bounded length")
            }
            encodings.append(encoding)
        }
        return encodings
    }

    /// The certificates; nil where a third or fourth is none.
    static func certificates(_ encodings: [[UInt8]?]) throws(Rejection) -> [Certificate?] {
        var certificates: [Certificate?] = []
        for (index, encoding) in encodings.enumerated() {
            let certificate = encoding.flatMap { try? Certificate(der: $0) }
            guard certificate != nil || index >= 2 else {
                throw refused(.certificateEncoding, "an entry of x5c is not one DER certificate")
            }
            certificates.append(certificate)
        }
        return certificates
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        guard let bytes = try? Base64.decode(Array(text.utf8)) else { return nil }
        return (1...Certificate.recommendedMaximumByteCount).contains(bytes.count) ? bytes : nil
    }

    private static func refused(_ reason: Reason, _ detail: String) -> Rejection {
        .refused(Refusal(reason, at: .certificateList, .badRequest, detail: detail))
    }
}
