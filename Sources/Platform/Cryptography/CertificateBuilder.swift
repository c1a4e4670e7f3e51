internal import COpenSSL

/// Creates certificates for test certificate authorities: valid certificates, and certificates with defects that a
/// verifier must reject.
package struct CertificateBuilder: Sendable {
    /// One attribute of a name, with OpenSSL's short field name: `C`, `O`, `OU`, `CN`.
    package struct NameAttribute: Hashable, Sendable {
        package var field: String
        package var value: String

        package init(_ field: String, _ value: String) {
            self.field = field
            self.value = value
        }
    }

    /// The digest for the certificate's signature; ignored for Ed25519.
    package enum Digest: String, Sendable {
        case sha1 = "SHA1"
        case sha224 = "SHA224"
        case sha256 = "SHA256"
        case sha384 = "SHA384"
        case sha512 = "SHA512"
    }

    package var subject: [NameAttribute]
    package var validity: CertificateValidity
    /// The unsigned big-endian serial number; nil means 16 random bytes.
    package var serialNumber: [UInt8]?
    /// The version, 1 to 3. Version 1 has no extensions, and version 2 should have none.
    package var version = 3
    package var digest = Digest.sha384
    /// The extensions, written in this order after the key identifiers, including duplicates.
    package var extensions: [CertificateExtension]
    /// Whether to add subjectKeyIdentifier and authorityKeyIdentifier.
    package var hasKeyIdentifiers = true
    /// The issuer name to write, if it differs from the issuer's subject.
    package var issuerName: [NameAttribute]?
    /// The certificate that authorityKeyIdentifier refers to, if it is not the issuer.
    package var claimedAuthority: Certificate?

    package init(subject: [NameAttribute], validity: CertificateValidity, extensions: [CertificateExtension]) {
        self.subject = subject
        self.validity = validity
        self.extensions = extensions
    }

    /// Creates a certificate for `key` and signs it with `key`.
    ///
    /// - Throws: ``CryptographyError``: `invalidArgument` if OpenSSL rejects a field, `unavailable` if signing fails.
    package func selfSigned(key: PrivateKey) throws(CryptographyError) -> Certificate {
        try make(key: key, issuer: nil, issuerKey: key)
    }

    /// Creates a certificate for the public half of `key`, signed by an authority. Does not check that `authorityKey`
    /// belongs to the authority.
    ///
    /// - Throws: the same errors as ``selfSigned(key:)``.
    package func issued(
        for key: PrivateKey, by authority: Certificate, authorityKey: PrivateKey
    ) throws(CryptographyError) -> Certificate {
        try make(key: key, issuer: authority, issuerKey: authorityKey)
    }

    private func make(
        key: PrivateKey, issuer: Certificate?, issuerKey: PrivateKey
    ) throws(CryptographyError) -> Certificate {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let draft = X509_new() else { throw ErrorQueue.error(.unavailable, "failed to create the certificate") }
        defer { X509_free(draft) }
        try setFields(of: draft, issuer: issuer)
        guard X509_set_pubkey(draft, key.handle) == 1 else {
            throw ErrorQueue.error(.invalidArgument, "failed to set the certificate's key")
        }
        if version != 1 {
            let identifiers = hasKeyIdentifiers ? try keyIdentifiers(of: draft, issuer: issuer) : []
            for each in identifiers + extensions {
                guard
                    shim_add_extension(
                        draft, each.oid.handle, each.isCritical ? 1 : 0, each.der, Int32(clamping: each.der.count)) == 1
                else { throw ErrorQueue.error(.invalidArgument, "failed to add the extension \(each.oid)") }
            }
        }
        try sign(draft, with: issuerKey)
        guard let der = Certificate.encoding(of: draft) else {
            throw ErrorQueue.error(.unavailable, "failed to encode the certificate")
        }
        // Parse the encoding again, so that the result contains only data that a receiver would read.
        return try Certificate(der: der)
    }

    private func setFields(of draft: OpaquePointer, issuer: Certificate?) throws(CryptographyError) {
        let serial: [UInt8]
        if let serialNumber { serial = serialNumber } else { serial = try randomSerialNumber() }
        guard X509_set_version(draft, version - 1) == 1,
            shim_set_serial(draft, serial, Int32(clamping: serial.count)) == 1,
            shim_set_validity(draft, validity.notBefore, validity.notAfter) == 1
        else { throw ErrorQueue.error(.invalidArgument, "failed to set the version, serial number or validity") }
        try withName(subject) { name in X509_set_subject_name(draft, name) == 1 }
        if let issuerName {
            try withName(issuerName) { name in X509_set_issuer_name(draft, name) == 1 }
        } else {
            let own = X509_get_subject_name(issuer?.handle ?? draft)
            guard X509_set_issuer_name(draft, own) == 1 else {
                throw ErrorQueue.error(.unavailable, "failed to set the issuer's name")
            }
        }
    }

    private func withName(
        _ attributes: [NameAttribute], _ use: (OpaquePointer) -> Bool
    ) throws(CryptographyError) {
        guard let name = X509_NAME_new() else {
            throw ErrorQueue.error(.unavailable, "failed to create a distinguished name")
        }
        defer { X509_NAME_free(name) }
        for attribute in attributes {
            guard shim_name_add(name, attribute.field, attribute.value) == 1 else {
                throw ErrorQueue.error(
                    .invalidArgument, "invalid distinguished name attribute \(attribute.field)=\(attribute.value)")
            }
        }
        guard use(name) else { throw ErrorQueue.error(.unavailable, "failed to encode a distinguished name") }
    }

    private func keyIdentifiers(
        of draft: OpaquePointer, issuer: Certificate?
    ) throws(CryptographyError) -> [CertificateExtension] {
        var identifiers = [CertificateExtension.subjectKeyIdentifier(try keyIdentifier(of: draft))]
        if let authority = claimedAuthority ?? issuer {
            identifiers.append(.authorityKeyIdentifier(try keyIdentifier(of: authority.handle)))
        }
        return identifiers
    }

    /// Returns the SHA-1 digest of the public key's bits (RFC 5280 section 4.2.1.2 (1)). SHA-1 is sufficient, because
    /// the digest only identifies the key.
    private func keyIdentifier(of certificate: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        var identifier = [UInt8](repeating: 0, count: 20)
        var count: UInt32 = 20
        guard X509_pubkey_digest(certificate, EVP_sha1(), &identifier, &count) == 1, count == 20 else {
            throw ErrorQueue.error(.unavailable, "failed to create the key identifier")
        }
        return identifier
    }

    private func sign(_ draft: OpaquePointer, with key: PrivateKey) throws(CryptographyError) {
        let hasOwnDigest = EVP_PKEY_is_a(key.handle, "ED25519") == 1
        let algorithm = hasOwnDigest ? nil : EVP_MD_fetch(nil, digest.rawValue, nil)
        defer { EVP_MD_free(algorithm) }
        guard hasOwnDigest || algorithm != nil, X509_sign(draft, key.handle, algorithm) > 0 else {
            throw ErrorQueue.error(.unavailable, "failed to sign the certificate with \(digest.rawValue)")
        }
    }

    private func randomSerialNumber() throws(CryptographyError) -> [UInt8] {
        var serial = try randomBytes(16)
        // Makes the number positive and exactly 16 bytes long.
        serial[0] = serial[0] & 0x3F | 0x40
        return serial
    }
}
