/// What an OCSP answer lets us know about one certificate at one moment.
package enum OCSPAnswer: Equatable, Sendable {
    /// Not revoked. `nextUpdate` is when the responder will know more; both in seconds since 1970.
    case good(thisUpdate: Int64, nextUpdate: Int64?)
    /// Revoked since `at` (seconds since 1970). True permanently, however old the answer. `reason` is CRLReason of RFC 5280
    /// section 5.3.1, nil when the responder does not say.
    case revoked(at: Int64, reason: Int32?)
    /// Neither: what was known before stays all that is known.
    case nothingNew(OCSPFailure)
}

/// Why an OCSP answer says nothing; the raw value is for metrics.
package enum OCSPFailure: String, Error, Sendable, CaseIterable {
    /// Not an OCSP response, too large, bytes after it, a critical extension, a date of another form.
    case malformed
    /// The responder answered with an error status: try later, unauthorized, … . Such answers are not signed.
    case unsuccessful
    /// The signature is wrong, or made with a weak algorithm.
    case badSignature
    /// Signed by someone who may not speak for the issuer.
    case badResponder
    /// It repeats another nonce than the request's.
    case wrongNonce
    /// It does not speak about the certificate that was asked for.
    case wrongCertificate
    /// thisUpdate lies ahead, or nextUpdate has passed, or without nextUpdate it is a day old.
    case stale
    /// The responder does not know the certificate.
    case unknownCertificate
    /// Not the responder's fault: no memory, or our misuse.
    case internalFailure
}

/// Limits of RFC 6960 answers as they are judged here.
enum OCSPLimits {
    /// An answer counts about 1,000 bytes.
    static let responseByteCount = 65_536
    /// How far the responder's clock may be off, in seconds.
    static let clockSkew: Int64 = 60
    /// How long an answer without nextUpdate is worth something, in seconds.
    static let maximumAge: Int64 = 24 * 60 * 60
    /// Within what RFC 8954 (1 to 32) and RFC 9654 (32 recommended) allow.
    static let nonceByteCount = 32
}
