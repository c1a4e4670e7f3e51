internal import COpenSSL

/// The kind of public key in a certificate.
package enum PublicKeyKind: Hashable, Sendable {
    /// EC on P-256, with a named curve and an uncompressed point.
    case p256
    /// EC on P-384, with a named curve and an uncompressed point.
    case p384
    /// Any other kind of key, with OpenSSL's name for it: `RSA`, `ED25519`, `EC secp256k1`, `EC prime256v1 (explicit
    /// parameters)`.
    case other(String)

    /// The name in error messages.
    var name: String {
        switch self {
        case .p256: "EC on P-256"
        case .p384: "EC on P-384"
        case .other(let name): name
        }
    }
}

/// A certificate's signature algorithm.
package enum CertificateSignatureAlgorithm: Hashable, Sendable {
    case ecdsaWithSHA256, ecdsaWithSHA384, ecdsaWithSHA512
    /// Any other algorithm, with OpenSSL's name for it, such as `RSA-SHA256`.
    case other(String)
}

extension Certificate {
    /// The serial number in lower-case hexadecimal, two digits per byte, or an empty string if it is negative or
    /// oversized.
    package var serialNumber: String {
        SerialNumber.text { shim_get_serial(handle, $0, $1) }
    }

    /// The subject's name in RFC 2253 format: `CN=…,OU=…,O=…,C=…`.
    package var subject: String { Self.text(of: X509_get_subject_name(handle)) }

    /// The issuer's name in RFC 2253 format.
    package var issuer: String { Self.text(of: X509_get_issuer_name(handle)) }

    /// The SHA-256 digest of the DER encoding.
    package var sha256Fingerprint: SHA256Digest { SHA256.digest(of: der) }

    /// The version: 1, 2 or 3. A malformed certificate may contain any other number.
    package var version: Int { X509_get_version(handle) &+ 1 }

    /// The validity period, or nil if a date has neither of the formats in RFC 5280 section 4.1.2.5.
    package var validity: CertificateValidity? {
        var notBefore: Int64 = 0
        var notAfter: Int64 = 0
        guard shim_get_validity(handle, &notBefore, &notAfter) == 1 else { return nil }
        return CertificateValidity(notBefore: notBefore, notAfter: notAfter)
    }

    /// Returns the number of occurrences of an extension. The number is at most 1 in a valid certificate.
    package func extensionCount(_ oid: OID) -> Int { Int(shim_extension_count(handle, oid.handle)) }

    package var signatureAlgorithm: CertificateSignatureAlgorithm {
        let identifier = X509_get_signature_nid(handle)
        switch identifier {
        case NID_ecdsa_with_SHA256: return .ecdsaWithSHA256
        case NID_ecdsa_with_SHA384: return .ecdsaWithSHA384
        case NID_ecdsa_with_SHA512: return .ecdsaWithSHA512
        default: return .other(OBJ_nid2sn(identifier).map { String(cString: $0) } ?? "unknown")
        }
    }

    /// The kind of public key. The curve must be named and the point uncompressed; otherwise, the kind is `other`.
    package var publicKeyKind: PublicKeyKind {
        defer { ErrorQueue.clear() }
        guard let key = X509_get0_pubkey(handle) else { return .other("unreadable") }
        return KeyFacts.kind(of: key)
    }

    /// Whether basicConstraints marks the certificate as a certificate authority.
    package var isCertificateAuthority: Bool { extensionFlags & UInt32(EXFLAG_CA) != 0 }

    /// Whether the certificate may sign certificates: it has basicConstraints with CA, and its keyUsage, if present,
    /// allows keyCertSign.
    package var maySignCertificates: Bool {
        let needed = UInt32(EXFLAG_BCONS) | UInt32(EXFLAG_CA)
        return X509_check_ca(handle) == 1 && extensionFlags & needed == needed
            && allows(keyUsage: SHIM_KEY_USAGE_KEY_CERT_SIGN)
    }

    /// Whether the certificate may sign data: keyUsage is absent or allows digitalSignature.
    package var maySignData: Bool { allows(keyUsage: SHIM_KEY_USAGE_DIGITAL_SIGNATURE) }

    /// Whether the certificate has X.509 version 3, its known extensions are readable, no unknown extension is
    /// critical, and it is not a proxy certificate.
    package var hasUsableExtensions: Bool {
        let unusable =
            UInt32(EXFLAG_INVALID) | UInt32(EXFLAG_CRITICAL) | UInt32(EXFLAG_PROXY) | UInt32(EXFLAG_V1)
        return version == 3 && extensionFlags & unusable == 0
    }

    /// Whether the certificate contains nameConstraints, policyConstraints, policyMappings or inhibitAnyPolicy,
    /// critical or not.
    package var constrainsPath: Bool {
        [NID_name_constraints, NID_policy_constraints, NID_policy_mappings, NID_inhibit_any_policy]
            .contains { X509_get_ext_by_NID(handle, $0, -1) >= 0 }
    }

    /// The first OCSP responder URL in authorityInfoAccess that begins with `http://` and is shorter than 512 bytes.
    /// Use it only after verifying the path and a signature by this certificate; until then, an untrusted client may
    /// have chosen the URL.
    package var ocspURL: String? {
        defer { ErrorQueue.clear() }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer -> String? in
            guard let start = buffer.baseAddress, shim_ocsp_url(handle, start, buffer.count) == 1 else { return nil }
            return String(cString: start)
        }
    }

    /// Whether the two certificates are identical, byte for byte.
    package static func == (left: Certificate, right: Certificate) -> Bool {
        left === right || left.der == right.der
    }

    private func allows(keyUsage bit: UInt32) -> Bool {
        // All bits are set if there is no keyUsage extension.
        X509_get_key_usage(handle) & bit != 0
    }

    private static func text(of name: OpaquePointer?) -> String {
        defer { ErrorQueue.clear() }
        guard let name, let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        guard shim_name_print(memory, name) == 1 else { return "" }
        return String(decoding: MemoryBIO.bytes(of: memory), as: UTF8.self)
    }
}

extension Certificate: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// Converts serial numbers to text.
enum SerialNumber {
    /// Returns the hexadecimal text of the bytes that `read` writes into its buffer, or an empty string if `read`
    /// returns a negative count.
    static func text(_ read: (UnsafeMutablePointer<UInt8>, Int32) -> Int32) -> String {
        // RFC 5280 allows 20 bytes; longer serial numbers are accepted for display.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let count = Int(read(start, Int32(buffer.count)))
            guard count >= 0, count <= buffer.count else { return "" }
            return count == 0
                ? "00" : HexText.encode(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
        }
    }
}

/// Reads from a memory BIO.
enum MemoryBIO {
    /// Returns a copy of the bytes written to `memory`.
    static func bytes(of memory: OpaquePointer) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        let count = shim_bio_bytes(memory, &start)
        guard let start, count > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }
}

/// Properties of an EVP_PKEY, determined by OpenSSL.
enum KeyFacts {
    static func kind(of key: OpaquePointer) -> PublicKeyKind {
        guard EVP_PKEY_is_a(key, "EC") == 1 else {
            return .other(EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown")
        }
        let group = group(of: key)
        guard shim_ec_is_named(key) == 1 else { return .other("EC \(group) (explicit parameters)") }
        let point = point(of: key)
        switch (group, point.count, point.first) {
        case ("prime256v1", 65, 4): return .p256
        case ("secp384r1", 97, 4): return .p384
        case (_, _, 4): return .other("EC \(group)")
        default: return .other("EC \(group) (compressed)")
        }
    }

    /// Returns the encoded public point (04 || x || y if uncompressed), or an empty array if there is none.
    static func point(of key: OpaquePointer) -> [UInt8] {
        // 133 bytes suffice for an uncompressed P-521 point.
        [UInt8](unsafeUninitializedCapacity: 133) { out, count in
            var written = 0
            let done = shim_ec_point(key, out.baseAddress, 133, &written) == 1
            count = done ? written : 0
        }
    }

    private static func group(of key: OpaquePointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String in
            var count = 0
            guard let start = buffer.baseAddress, EVP_PKEY_get_group_name(key, start, buffer.count, &count) == 1 else {
                return "unknown"
            }
            return String(cString: start)
        }
    }
}
