internal import AppStoreVerification
internal import Cryptography

extension DoctorFacts.Root {
    /// Creates the description of a pinned root from its DER encoding.
    init(der: [UInt8]) {
        let fingerprint = SHA256.digest(of: der).hex
        let isBuiltIn = der == AppleRootCertificate.g3
        var defect: String?
        var certificate: Certificate?
        do throws(CryptographyError) {
            let read = try Certificate(der: der)
            certificate = read
            // Verifies the self-signature.
            _ = try TrustStore(roots: [read])
        } catch {
            defect = error.message
        }
        if isBuiltIn, fingerprint != AppleRootCertificate.g3Fingerprint {
            defect = "the fingerprint of the built-in root does not match the one published by Apple"
        }
        self.init(
            subject: certificate.map { Self.commonName($0.subject) } ?? fingerprint, fingerprint: fingerprint,
            isBuiltIn: isBuiltIn, defect: defect, validity: certificate?.validity)
    }

    /// Returns the CN of an RFC 2253 name for display, or the whole name if it has no CN.
    static func commonName(_ name: String) -> String {
        let first = name.split(separator: ",").first { $0.hasPrefix("CN=") }
        return first.map { String($0.dropFirst(3)) } ?? name
    }
}
