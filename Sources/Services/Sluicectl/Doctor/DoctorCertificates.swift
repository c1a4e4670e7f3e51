internal import AppStoreModel
internal import Cryptography
internal import JSON
internal import Primitives

/// Reads certificates supplied by the operator, from a PEM file or from a JWS.
enum DoctorCertificates {
    struct Unreadable: Error {
        let message: String
    }

    /// Reads the certificates in a PEM file, leaf first.
    static func inFile(_ bytes: [UInt8]) throws(Unreadable) -> [Certificate] {
        do {
            return try Certificate.certificates(encoded: bytes)
        } catch {
            throw Unreadable(message: error.message)
        }
    }

    /// Reads the `x5c` certificates from the header of a compact JWS, or of the `signedPayload` in a request body.
    static func inJWS(_ text: [UInt8]) throws(Unreadable) -> [Certificate] {
        var jws = text.filter { ![UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " ")].contains($0) }
        if let body = try? JSONDocument.object(text), let signedPayload = body.root["signedPayload"]?.string {
            jws = Array(signedPayload.utf8)
        }
        let segments = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, let header = try? Base64URL.decode(Array(segments[0])),
            let entries = (try? JSONDocument.object(header))?.root["x5c"]?.elements
        else { throw Unreadable(message: "neither a JWS with x5c nor a request body containing one") }
        var certificates: [Certificate] = []
        for entry in entries.prefix(4) {
            guard let text = entry.string, let der = try? Base64.decode(Array(text.utf8)),
                der.count <= Certificate.recommendedMaximumByteCount, let certificate = try? Certificate(der: der)
            else { throw Unreadable(message: "an entry of x5c is not a certificate") }
            certificates.append(certificate)
        }
        return certificates
    }
}
