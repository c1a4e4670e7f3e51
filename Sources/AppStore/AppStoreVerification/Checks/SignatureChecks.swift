internal import Cryptography
internal import JSON

/// Checks 10 to 12: the signature, then the validity and revocation of its certificates.
enum SignatureChecks {
    private static let byteCount = 64
    /// A retry can help while the current time is within this many seconds of the validity period. Within two days, an
    /// operator can correct a wrong clock, or Apple can replace an expired certificate.
    private static let graceSeconds: Int64 = 48 * 3600

    // MARK: Check 10

    /// Part of check 10: the leaf is not a certificate authority, may sign data, and has a P-256 key as required by
    /// ES256.
    static func key(of leaf: Certificate) throws(Refusal) -> P256PublicKey {
        guard !leaf.isCertificateAuthority, leaf.maySignData, let key = P256PublicKey(certificate: leaf) else {
            throw Refusal(.leafKey, "the leaf has no P-256 signing key")
        }
        return key
    }

    static func checkLength(_ signature: [UInt8]) throws(Refusal) {
        guard signature.count == byteCount else {
            throw Refusal(.signatureLength, "the signature is not 64 bytes long")
        }
    }

    /// Check 10: the signature is 64 bytes long, and is valid for the leaf's key and the exact bytes `header.payload`
    /// (RFC 7518 section 3.4).
    static func check(
        _ signature: [UInt8], of digest: SHA256Digest, by key: P256PublicKey, certificates: CertificateSerials
    ) throws(Refusal) {
        switch key.verify(digest: digest, rawSignature: signature) {
        case .valid: return
        case .invalid:
            throw Refusal(.signature, "the signature does not verify with the leaf's key", certificates: certificates)
        // There is no result because memory is exhausted or OpenSSL is broken. The notification may be authentic.
        case .failed: throw Refusal(.internal, "failed to verify the signature", at: .signature)
        }
    }

    // MARK: Check 11

    /// Check 11: the current time is within the validity periods of all three certificates, inclusive at both ends.
    /// - Parameter now: the current time, in milliseconds since 1970.
    static func checkValidity(of path: ValidatedPath, at now: Int64) throws(Refusal) {
        let distance = secondsOutsideValidity(of: path, at: now)
        guard distance != 0 else { return }
        let outside = distance == .min ? .max : abs(distance)
        throw Refusal(
            .certificateTime, distance > 0 ? "a certificate has expired" : "a certificate is not valid yet",
            status: outside <= graceSeconds ? 503 : nil, secondsOutsideValidity: outside, certificates: path.serials)
    }

    /// Check 11 for an object whose certificates must have been valid when it was signed. The result never changes, so
    /// a retry cannot help.
    /// - Parameters:
    ///   - payload: the object's payload, after its signature has been verified.
    ///   - now: the current time, in milliseconds since 1970.
    static func checkValidity(
        of path: ValidatedPath, whenSigned payload: JSONDocument, now: Int64
    ) throws(Refusal) {
        let moment = CertificateMoment.signature.milliseconds(of: payload, now: now)
        let distance = secondsOutsideValidity(of: path, at: moment)
        guard distance != 0 else { return }
        throw Refusal(
            .certificateTime, "a certificate was not valid at signedDate",
            secondsOutsideValidity: distance == .min ? .max : abs(distance), certificates: path.serials)
    }

    /// Returns 0 within the validity period, a negative number before it, or a positive number after it.
    private static func secondsOutsideValidity(of path: ValidatedPath, at milliseconds: Int64) -> Int64 {
        let isExact = milliseconds >= 0 || milliseconds % 1000 == 0
        return path.validity.distance(to: isExact ? milliseconds / 1000 : milliseconds / 1000 - 1)
    }

    // MARK: Check 12

    /// Check 12: no certificate in the path is known to be revoked. Every path with the revoked certificate is removed
    /// from `cache` immediately.
    static func checkRevocation(
        of header: KnownHeader, by checker: RevocationChecker, in cache: ChainCache, at now: Int64
    ) throws(Refusal) {
        let path = header.path
        // If this header has no revocation status yet, another header with the same certificates may have one.
        let isRevoked =
            header.standings.map { $0.contains { $0.known(at: now) == .revoked } } ?? checker.isRevoked(path, at: now)
        guard !isRevoked else {
            cache.drop(checker.revokedCertificates(of: path, at: now))
            throw Refusal(.revoked, "a certificate is revoked", certificates: path.serials)
        }
    }

    /// The second half of check 12, which runs after the audience check. OCSP requests are sent only for notifications
    /// about our apps, and only for certificates that are currently valid, because responders do not answer for others.
    /// - Returns: whether the revocation status of the leaf or the intermediate is unknown; false if a certificate in
    ///   the path is not currently valid.
    /// - Throws: `ocsp_unknown` if the policy does not permit an unknown status.
    static func isRevocationUnknown(
        of header: KnownHeader, by checker: RevocationChecker, at now: Int64
    ) throws(Refusal) -> Bool {
        guard secondsOutsideValidity(of: header.path, at: now) == 0 else { return false }
        let standings = header.standings { checker.standings(of: header.path, at: now) }
        guard standings.contains(where: { $0.known(at: now) == .unknown }) else { return false }
        guard checker.policy != .strict else {
            throw Refusal(
                .revocationUnknown, "the revocation status is unknown", certificates: header.path.serials)
        }
        return true
    }
}
