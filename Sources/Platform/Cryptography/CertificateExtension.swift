/// An extension for a new certificate (RFC 5280 section 4.2).
package struct CertificateExtension: Sendable {
    package var oid: OID
    package var isCritical: Bool
    /// The value in DER. It is not checked against `oid`.
    package var der: [UInt8]

    package init(_ oid: OID, isCritical: Bool = false, der: [UInt8]) {
        self.oid = oid
        self.isCritical = isCritical
        self.der = der
    }

    /// Creates a critical basicConstraints extension. `pathLength` is at most 127.
    package static func basicConstraints(isAuthority: Bool, pathLength: UInt8? = nil) -> CertificateExtension {
        var content: [UInt8] = isAuthority ? [0x01, 0x01, 0xFF] : []
        if let pathLength { content += [0x02, 0x01, pathLength & 0x7F] }
        return CertificateExtension(OID("2.5.29.19"), isCritical: true, der: DER.value(0x30, content))
    }

    /// A critical keyUsage extension with only digitalSignature.
    package static let digitalSignature = CertificateExtension(
        OID("2.5.29.15"), isCritical: true, der: [0x03, 0x02, 0x07, 0x80])

    /// A critical keyUsage extension with keyCertSign and cRLSign.
    package static let certificateSigning = CertificateExtension(
        OID("2.5.29.15"), isCritical: true, der: [0x03, 0x02, 0x01, 0x06])

    /// A critical extendedKeyUsage extension with id-kp-OCSPSigning (RFC 6960 section 4.2.2.2).
    package static let ocspSigning = CertificateExtension(
        OID("2.5.29.37"), isCritical: true,
        der: [0x30, 0x0A, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x09])

    /// An id-pkix-ocsp-nocheck extension, which exempts the responder from revocation checks (RFC 6960 section
    /// 4.2.2.2.1).
    package static let ocspNoCheck = CertificateExtension(OID("1.3.6.1.5.5.7.48.1.5"), der: DER.null)

    /// Creates an authorityInfoAccess extension with one OCSP responder URL (RFC 5280 section 4.2.2.1).
    package static func ocspAddress(_ url: String) -> CertificateExtension {
        let method: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]
        let location = DER.value(0x86, Array(url.utf8))
        return CertificateExtension(OID("1.3.6.1.5.5.7.1.1"), der: DER.sequence(DER.sequence(method, location)))
    }

    /// Creates an extension that serves only as a marker. Its value is NULL.
    package static func marker(_ oid: OID, isCritical: Bool = false) -> CertificateExtension {
        CertificateExtension(oid, isCritical: isCritical, der: DER.null)
    }

    static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(OID("2.5.29.14"), der: DER.value(0x04, identifier))
    }

    static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(OID("2.5.29.35"), der: DER.sequence(DER.value(0x80, identifier)))
    }
}
