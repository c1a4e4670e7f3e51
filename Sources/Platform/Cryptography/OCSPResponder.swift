internal import COpenSSL

/// An OCSP responder for one issuer, for the simulator and for tests.
package struct OCSPResponder: Sendable {
    /// The status to report for a certificate.
    package enum Status: Hashable, Sendable {
        case good
        /// `at` is in seconds since 1970; `reason` is a CRLReason (RFC 5280 section 5.3.1).
        case revoked(at: Int64, reason: Int32)
        case unknown
    }

    /// How the responder handles the request's nonce.
    package enum NonceRule: Sendable {
        case repeatIt, leaveOut, change
    }

    /// The issuer of the certificates that the responder reports on.
    package var issuer: Certificate
    /// The signer: the issuer itself, or a certificate with the OCSP Signing extended key usage, signed by the issuer.
    package var signer: Certificate
    package var key: PrivateKey
    package var digest = CertificateBuilder.Digest.sha256
    package var nonceRule = NonceRule.repeatIt
    /// Whether the response identifies the signer by a hash of its key instead of by its subject.
    package var isNamedByKey = false
    /// Whether the response includes the signer's certificate.
    package var includesSigner = true
    /// The offset of thisUpdate from the time of the response, in seconds.
    package var thisUpdateOffset: Int64 = -600
    /// The offset of nextUpdate from the time of the response, in seconds; nil omits it.
    package var nextUpdateOffset: Int64? = 12 * 60 * 60

    package init(issuer: Certificate, signer: Certificate, key: PrivateKey) {
        self.issuer = issuer
        self.signer = signer
        self.key = key
    }

    /// Returns the response to a request at `now`, in seconds since 1970. `status` is called with each serial number,
    /// in the same format as ``Certificate/serialNumber``. A request for another issuer's certificate is answered with
    /// `unauthorized`.
    ///
    /// - Throws: ``CryptographyError``: `malformedRequest`, or `unavailable` if signing fails.
    package func answer(
        request: [UInt8], at now: Int64, status: (String) -> Status
    ) throws(CryptographyError) -> [UInt8] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let parsed = try request.span.withUnsafeBytes { (bytes) throws(CryptographyError) in try Self.parse(bytes) }
        defer { OCSP_REQUEST_free(parsed) }
        guard let basic = OCSP_BASICRESP_new() else {
            throw ErrorQueue.error(.unavailable, "failed to create the OCSP response")
        }
        defer { OCSP_BASICRESP_free(basic) }
        for index in 0..<OCSP_request_onereq_count(parsed) {
            // The identifier is borrowed from the request, and the response copies it.
            guard let identifier = OCSP_onereq_get0_id(OCSP_request_onereq_get0(parsed, index)) else {
                throw ErrorQueue.error(.malformedRequest, "the OCSP request does not name a certificate")
            }
            guard shim_ocsp_id_is_of_issuer(identifier, issuer.handle) == 1 else {
                return Self.unsuccessful(status: OCSP_RESPONSE_STATUS_UNAUTHORIZED)
            }
            try add(
                status(SerialNumber.text { shim_ocsp_id_serial(identifier, $0, $1) }), identifier, to: basic, at: now)
        }
        try addNonce(of: parsed, to: basic)
        try sign(basic)
        return try Self.encode(basic)
    }

    /// Returns an unsigned response with an error status, such as 3 (try later) or 6 (unauthorized).
    package static func unsuccessful(status: Int32) -> [UInt8] {
        DER.sequence(DER.value(0x0A, [UInt8(truncatingIfNeeded: status)]))
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) throws(CryptographyError) -> OpaquePointer {
        var cursor = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        guard bytes.count > 0, let request = d2i_OCSP_REQUEST(nil, &cursor, bytes.count) else {
            throw ErrorQueue.error(.malformedRequest, "not an OCSP request")
        }
        return request
    }

    private func add(
        _ status: Status, _ identifier: OpaquePointer, to basic: OpaquePointer, at now: Int64
    ) throws(CryptographyError) {
        let thisUpdate = now &+ thisUpdateOffset
        let nextUpdate = nextUpdateOffset.map { now &+ $0 } ?? 0
        let added: Int32
        switch status {
        case .good:
            added = shim_ocsp_add_status(basic, identifier, V_OCSP_CERTSTATUS_GOOD, -1, 0, thisUpdate, nextUpdate)
        case .unknown:
            added = shim_ocsp_add_status(basic, identifier, V_OCSP_CERTSTATUS_UNKNOWN, -1, 0, thisUpdate, nextUpdate)
        case .revoked(let at, let reason):
            added = shim_ocsp_add_status(
                basic, identifier, V_OCSP_CERTSTATUS_REVOKED, reason, at, thisUpdate, nextUpdate)
        }
        guard added == 1 else { throw ErrorQueue.error(.unavailable, "failed to add the OCSP status") }
    }

    private func addNonce(of request: OpaquePointer, to basic: OpaquePointer) throws(CryptographyError) {
        switch nonceRule {
        case .leaveOut: return
        case .repeatIt:
            // 1 means that the nonce was copied, 2 that the request has none.
            guard OCSP_copy_nonce(basic, request) > 0 else {
                throw ErrorQueue.error(.unavailable, "failed to copy the OCSP nonce")
            }
        case .change:
            var other = try randomBytes(OCSPLimits.nonceByteCount)
            guard OCSP_basic_add1_nonce(basic, &other, Int32(clamping: other.count)) == 1 else {
                throw ErrorQueue.error(.unavailable, "failed to add the OCSP nonce")
            }
        }
    }

    private func sign(_ basic: OpaquePointer) throws(CryptographyError) {
        let algorithm = EVP_MD_fetch(nil, digest.rawValue, nil)
        defer { EVP_MD_free(algorithm) }
        var flags: UInt = 0
        if isNamedByKey { flags |= UInt(OCSP_RESPID_KEY) }
        if !includesSigner { flags |= UInt(OCSP_NOCERTS) }
        guard algorithm != nil, OCSP_basic_sign(basic, signer.handle, key.handle, algorithm, nil, flags) == 1 else {
            throw ErrorQueue.error(.unavailable, "failed to sign the OCSP response")
        }
    }

    private static func encode(_ basic: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        // OCSP_response_create encodes the basic response and does not take ownership.
        guard let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic) else {
            throw ErrorQueue.error(.unavailable, "failed to create the OCSP response")
        }
        defer { OCSP_RESPONSE_free(response) }
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_OCSP_RESPONSE(response, &start)
        guard let start, count > 0 else { throw ErrorQueue.error(.unavailable, "failed to encode the OCSP response") }
        defer { shim_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}
