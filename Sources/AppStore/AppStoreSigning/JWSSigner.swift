package import Cryptography
internal import Primitives

/// Signs payloads as the App Store does: compact JWS, ES256, with the certificate chain in `x5c`.
package struct JWSSigner: Sendable {
    private let key: PrivateKey
    // The header segment and its dot, identical for all payloads.
    private let prefix: [UInt8]
    private let midstate: SHA256Midstate

    /// Creates a signer with the header `{"alg":"ES256","x5c":[…]}`.
    package init(_ pki: TestCertificateAuthority) {
        self.init(header: Self.header(chain: pki.chain), key: pki.leafKey)
    }

    /// Creates a signer with an arbitrary header, for payloads that a verifier must reject.
    package init(header: String, key: PrivateKey) {
        self.key = key
        prefix = Base64URL.encode(Array(header.utf8)) + [UInt8(ascii: ".")]
        midstate = SHA256Midstate(prefix: prefix)
    }

    /// Returns the compact JWS over `payload`, which may be any bytes.
    ///
    /// - Throws: ``AppStoreSigningError`` with code `cryptography`.
    package func sign(_ payload: [UInt8]) throws(AppStoreSigningError) -> [UInt8] {
        let segment = Base64URL.encode(payload)
        let signature: [UInt8]
        do throws(CryptographyError) {
            signature = try key.es256Signature(digest: midstate.digest(suffix: segment))
        } catch {
            throw AppStoreSigningError(.cryptography, "the payload cannot be signed", cause: error)
        }
        return prefix + segment + [UInt8(ascii: ".")] + Base64URL.encode(signature)
    }

    /// Returns the compact JWS over `payload`.
    ///
    /// - Throws: the same error as ``sign(_:)-([UInt8])``.
    package func sign(_ payload: String) throws(AppStoreSigningError) -> String {
        String(decoding: try sign(Array(payload.utf8)), as: UTF8.self)
    }

    /// Returns the text of a header. `algorithm` is JSON, including quotes. `extra`, such as `,"crit":[]`, is inserted
    /// unchanged after the last member.
    package static func header(
        chain: [Certificate], algorithm: String = "\"ES256\"", extra: String = ""
    ) -> String {
        header(
            x5c: chain.map { String(decoding: Base64.encode($0.der), as: UTF8.self) }, algorithm: algorithm,
            extra: extra)
    }

    /// Returns the text of a header with arbitrary strings in `x5c`.
    package static func header(x5c: [String], algorithm: String = "\"ES256\"", extra: String = "") -> String {
        "{\"alg\":\(algorithm),\"x5c\":[\(x5c.map { "\"\($0)\"" }.joined(separator: ","))]\(extra)}"
    }
}
