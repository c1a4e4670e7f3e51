/// The result of an OCSP check for one certificate at a given time.
package enum OCSPAnswer: Equatable, Sendable {
    /// The certificate is not revoked. Newer information is expected by `nextUpdate`. Both times are in seconds since
    /// 1970.
    case good(thisUpdate: Int64, nextUpdate: Int64?)
    /// The certificate was revoked at `at` (seconds since 1970). A revocation is permanent, so the age of the response
    /// does not matter. `reason` is a CRLReason (RFC 5280 section 5.3.1), or nil if the response has none.
    case revoked(at: Int64, reason: Int32?)
    /// The response has no new information; the previous status remains valid.
    case nothingNew(OCSPError)
}

/// The reason an OCSP response has no information. Metrics use the raw value.
package enum OCSPError: String, Error, Sendable, CaseIterable {
    /// The input is not an OCSP response, is too large, or contains trailing bytes, a critical extension or an invalid
    /// date.
    case malformed
    /// The responder returned an error status, such as `tryLater` or `unauthorized`. Such responses are not signed.
    case unsuccessful
    /// The signature is wrong or uses a weak algorithm.
    case badSignature
    /// The signer is not authorized to respond for the issuer.
    case badResponder
    /// The response contains a nonce other than the request's.
    case wrongNonce
    /// The response does not cover the requested certificate.
    case wrongCertificate
    /// thisUpdate is in the future, nextUpdate has passed, or the response has no nextUpdate and is more than
    /// a day old.
    case stale
    /// The responder does not know the certificate.
    case unknownCertificate
    /// Memory is exhausted, or the program misused OpenSSL. The responder is not at fault.
    case internalFailure
}

/// Limits for RFC 6960 responses.
enum OCSPLimits {
    /// The maximum size of a response in bytes. A typical response is about 1,000 bytes long.
    static let responseByteCount = 65_536
    /// The tolerated difference between the clocks of this process and the responder, in seconds.
    static let clockSkew: Int64 = 60
    /// The maximum age of a response without nextUpdate, in seconds.
    static let maximumAge: Int64 = 24 * 60 * 60
    /// The size of the nonce in bytes, within the limits of RFC 8954 (1 to 32) and RFC 9654 (32 recommended).
    static let nonceByteCount = 32
}
