/// The validity period of a certificate or path, in seconds since 1970, inclusive at both ends (RFC 5280 section
/// 4.1.2.5).
package struct CertificateValidity: Hashable, Sendable {
    package let notBefore: Int64
    package let notAfter: Int64

    package init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    package func contains(_ seconds: Int64) -> Bool {
        notBefore <= seconds && seconds <= notAfter
    }

    /// Returns the signed distance from the period in seconds: negative before `notBefore`, positive after `notAfter`,
    /// otherwise 0.
    package func distance(to seconds: Int64) -> Int64 {
        if seconds < notBefore { return seconds.subtractingReportingOverflow(notBefore).partialValue }
        if seconds > notAfter { return seconds.subtractingReportingOverflow(notAfter).partialValue }
        return 0
    }

    /// Returns the overlap of both periods. If they do not overlap, the result contains no time.
    package func intersection(_ other: CertificateValidity) -> CertificateValidity {
        CertificateValidity(notBefore: max(notBefore, other.notBefore), notAfter: min(notAfter, other.notAfter))
    }
}
