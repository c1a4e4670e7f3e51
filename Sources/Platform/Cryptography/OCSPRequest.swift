internal import COpenSSL

/// A request for the revocation status of a certificate (RFC 6960), and the evaluation of the response.
///
/// The caller sends the bytes by HTTP POST as `application/ocsp-request`, and decides how often to send requests.
package struct OCSPRequest: Sendable {
    package let subject: Certificate
    /// The issuer, which must already be verified. It is the trust anchor for the responder's certificate.
    package let issuer: Certificate
    /// A nonce of 32 random bytes.
    package let nonce: [UInt8]
    /// The encoded request.
    package let der: [UInt8]

    /// Creates a request with a new nonce. SHA-256 hashes identify the certificate.
    ///
    /// - Throws: ``CryptographyError`` with code `unavailable`.
    package init(subject: Certificate, issuer: Certificate) throws(CryptographyError) {
        try self.init(subject: subject, issuer: issuer, nonce: try randomBytes(OCSPLimits.nonceByteCount))
    }

    init(subject: Certificate, issuer: Certificate, nonce: [UInt8]) throws(CryptographyError) {
        ErrorQueue.clear()
        guard let request = OCSP_REQUEST_new() else {
            throw ErrorQueue.error(.unavailable, "failed to create the OCSP request")
        }
        defer { OCSP_REQUEST_free(request) }
        guard let identifier = OCSP_cert_to_id(EVP_sha256(), subject.handle, issuer.handle) else {
            throw ErrorQueue.error(.unavailable, "failed to create the OCSP certificate identifier")
        }
        // On success, the request owns the identifier; otherwise, this function still owns it.
        guard OCSP_request_add0_id(request, identifier) != nil else {
            OCSP_CERTID_free(identifier)
            throw ErrorQueue.error(.unavailable, "failed to create the OCSP request")
        }
        // OpenSSL requires a mutable pointer to the nonce but only copies it.
        var copy = nonce
        guard OCSP_request_add1_nonce(request, &copy, Int32(clamping: nonce.count)) == 1 else {
            throw ErrorQueue.error(.unavailable, "failed to add the OCSP nonce")
        }
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_OCSP_REQUEST(request, &start)
        guard let start, count > 0 else { throw ErrorQueue.error(.unavailable, "failed to encode the OCSP request") }
        defer { shim_free(start) }
        self.subject = subject
        self.issuer = issuer
        self.nonce = nonce
        der = Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// Evaluates the response to this request at `now`, in seconds since 1970. Synchronous; takes about 0.6 ms of CPU
    /// time.
    package func evaluate(response: [UInt8], at now: Int64) -> OCSPAnswer {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        do throws(OCSPError) {
            return try response.span.withUnsafeBytes { (bytes) throws(OCSPError) in try judge(bytes, at: now) }
        } catch {
            return .nothingNew(error)
        }
    }

    // The order matters: nothing is trusted before the signature is verified, and "revoked" takes precedence over a
    // stale response.
    private func judge(_ bytes: UnsafeRawBufferPointer, at now: Int64) throws(OCSPError) -> OCSPAnswer {
        let basic = try Self.basicResponse(of: bytes)
        defer { OCSP_BASICRESP_free(basic) }
        guard OCSP_BASICRESP_get_ext_by_critical(basic, 1, -1) < 0 else { throw .malformed }
        guard Self.acceptedSignatures.contains(shim_ocsp_signature_nid(basic)) else { throw .badSignature }
        try verifySignature(of: basic, at: now)
        try checkNonce(of: basic)
        return try status(in: basic, at: now)
    }

    private static let acceptedSignatures: Set<Int32> = [
        NID_ecdsa_with_SHA256, NID_ecdsa_with_SHA384, NID_ecdsa_with_SHA512,
        NID_sha256WithRSAEncryption, NID_sha384WithRSAEncryption, NID_sha512WithRSAEncryption,
    ]

    /// Returns the signed part of a response. The caller must free the result.
    private static func basicResponse(of bytes: UnsafeRawBufferPointer) throws(OCSPError) -> OpaquePointer {
        guard bytes.count > 0, bytes.count <= OCSPLimits.responseByteCount else { throw .malformed }
        var cursor = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        let end = cursor?.advanced(by: bytes.count)
        guard let response = d2i_OCSP_RESPONSE(nil, &cursor, bytes.count) else { throw .malformed }
        defer { OCSP_RESPONSE_free(response) }
        guard cursor == end else { throw .malformed }
        guard OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL else { throw .unsuccessful }
        guard let basic = OCSP_response_get1_basic(response) else { throw .malformed }
        return basic
    }

    /// Verifies that the signer is the issuer itself, or has a certificate with id-kp-OCSPSigning that is signed by the
    /// issuer and valid at `now`.
    private func verifySignature(of basic: OpaquePointer, at now: Int64) throws(OCSPError) {
        let store = try responderStore(at: now)
        defer { X509_STORE_free(store) }
        // The stack borrows the issuer from `self`.
        guard let known = shim_stack_new() else { throw .internalFailure }
        defer { shim_stack_free(known) }
        guard shim_stack_push(known, issuer.handle) > 0 else { throw .internalFailure }
        // Neither OCSP_TRUSTOTHER nor OCSP_NOCHECKS is set. With NOEXPLICIT, a trusted certificate is not automatically
        // a responder.
        let verdict = withExtendedLifetime(issuer) { OCSP_basic_verify(basic, known, store, UInt(OCSP_NOEXPLICIT)) }
        guard verdict != 1 else { return }
        // The error queue only selects the reason; the response is rejected in either case.
        throw shim_error_is_ocsp_signature_failure(ERR_peek_last_error()) == 1 ? .badSignature : .badResponder
    }

    /// Creates a store for this response and this time, with the issuer as the only trust anchor.
    private func responderStore(at now: Int64) throws(OCSPError) -> OpaquePointer {
        guard let store = X509_STORE_new() else { throw .internalFailure }
        let parameters = X509_VERIFY_PARAM_new()
        defer { X509_VERIFY_PARAM_free(parameters) }
        // PARTIAL_CHAIN, because the issuer need not be self-signed. Level 2, because some responders use RSA 2048.
        X509_VERIFY_PARAM_set_time(parameters, time_t(now))
        X509_VERIFY_PARAM_set_depth(parameters, 2)
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        guard X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1,
            X509_STORE_set1_param(store, parameters) == 1, X509_STORE_add_cert(store, issuer.handle) == 1
        else {
            X509_STORE_free(store)
            throw .internalFailure
        }
        return store
    }

    /// Checks the nonce. A response without a nonce was signed in advance and is accepted if it is fresh.
    private func checkNonce(of basic: OpaquePointer) throws(OCSPError) {
        guard let request = OCSP_REQUEST_new() else { throw .internalFailure }
        defer { OCSP_REQUEST_free(request) }
        var copy = nonce
        guard OCSP_request_add1_nonce(request, &copy, Int32(clamping: nonce.count)) == 1 else { throw .internalFailure }
        // 1 means that the nonces are equal, -1 that the response has none.
        let comparison = OCSP_check_nonce(request, basic)
        guard comparison == 1 || comparison == -1 else { throw .wrongNonce }
    }

    private func status(in basic: OpaquePointer, at now: Int64) throws(OCSPError) -> OCSPAnswer {
        guard let identifier = OCSP_cert_to_id(EVP_sha256(), subject.handle, issuer.handle) else {
            throw .internalFailure
        }
        defer { OCSP_CERTID_free(identifier) }
        var single = shim_ocsp_single()
        switch shim_ocsp_find(basic, identifier, &single) {
        case 1: break
        case 0: throw .wrongCertificate
        default: throw .malformed
        }
        let nextUpdate = single.has_next_update == 1 ? single.next_update : nil
        guard single.has_critical_extension == 0, (nextUpdate ?? .max) >= single.this_update else { throw .malformed }
        if single.status == V_OCSP_CERTSTATUS_REVOKED {
            guard single.has_revoked_at == 1 else { throw .malformed }
            return .revoked(at: single.revoked_at, reason: single.reason < 0 ? nil : single.reason)
        }
        // An ASN.1 time is between the years 0 and 9999, so this arithmetic cannot overflow.
        guard single.this_update - OCSPLimits.clockSkew <= now else { throw .stale }
        let last = nextUpdate.map { $0 + OCSPLimits.clockSkew } ?? single.this_update + OCSPLimits.maximumAge
        guard last >= now else { throw .stale }
        guard single.status == V_OCSP_CERTSTATUS_GOOD else { throw .unknownCertificate }
        return .good(thisUpdate: single.this_update, nextUpdate: nextUpdate)
    }
}
