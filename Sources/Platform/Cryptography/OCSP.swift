/// The result of an OCSP check of one certificate at one point in time.
package enum OCSPAnswer: Equatable, Sendable {
    /// The certificate is not revoked. Newer information will be available at `nextUpdate`. Both times are in seconds
    /// since 1970.
    case good(thisUpdate: Int64, nextUpdate: Int64?)
    /// The certificate was revoked at `at` (seconds since 1970). This remains true permanently, however old the
    /// response is. `reason` is a CRLReason (RFC 5280 section 5.3.1), or nil if the response contains none.
    case revoked(at: Int64, reason: Int32?)
    /// The response provides no new information; the previous status remains valid.
    case nothingNew(OCSPFailure)
}

/// The reason why an OCSP response provides no information. The raw value is used in metrics.
package enum OCSPFailure: String, Error, Sendable, CaseIterable {
    /// The response is not an OCSP response, is too large, or contains trailing bytes, a critical extension or an
    /// invalid date.
    case malformed
    /// The responder returned an error status, such as try later or unauthorized. Such responses are not signed.
    case unsuccessful
    /// The signature is wrong or uses a weak algorithm.
    case badSignature
    /// The signer is not authorized to respond for the issuer.
    case badResponder
    /// The response contains a nonce that differs from the request's nonce.
    case wrongNonce
    /// The response does not cover the requested certificate.
    case wrongCertificate
    /// thisUpdate is in the future, nextUpdate has passed, or the response has no nextUpdate and is a day old.
    case stale
    /// The responder does not know the certificate.
    case unknownCertificate
    /// The responder is not at fault: memory is exhausted, or we misused OpenSSL.
    case internalFailure
}

/// Limits on RFC 6960 responses.
enum OCSPLimits {
    /// Maximum size of a response; a typical one has about 1,000 bytes.
    static let responseByteCount = 65_536
    /// Tolerated clock difference between this process and the responder, in seconds.
    static let clockSkew: Int64 = 60
    /// Maximum age in seconds of a response without nextUpdate.
    static let maximumAge: Int64 = 24 * 60 * 60
    /// Size of the nonce in bytes, within the limits of RFC 8954 (1 to 32) and RFC 9654 (32 recommended).
    static let nonceByteCount = 32
}
