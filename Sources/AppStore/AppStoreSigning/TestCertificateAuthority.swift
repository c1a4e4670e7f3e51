package import Cryptography

/// Untrusted certificates modeled on Apple's: a P-384 root and intermediate, a P-256 leaf, Apple's two marker
/// extensions, and sizes close to the real ones. For the simulator and tests.
package struct TestCertificateAuthority: Sendable {
    /// The marker in Apple's signing leaf: Mac App Store receipt signing.
    package static let leafMarker = OID("1.2.840.113635.100.6.11.1")
    /// The marker in Apple's intermediate: Worldwide Developer Relations.
    package static let intermediateMarker = OID("1.2.840.113635.100.6.2.1")

    /// The authorities' keys, which can issue and revoke certificates.
    package struct AuthorityKeys: Sendable {
        package let root: PrivateKey
        package let intermediate: PrivateKey
    }

    /// The certificates to create, including any deviations from Apple's.
    package struct Options: Sendable {
        /// A change to one certificate before it is signed.
        package typealias Adjustment = @Sendable (inout CertificateBuilder) -> Void

        /// A time within the validity periods of all certificates, in seconds since 1970.
        package var now: Int64
        /// The OCSP responder URL in the leaf, or nil to omit it.
        package var leafOCSPAddress: String?
        /// The OCSP responder URL in the intermediate, or nil to omit it.
        package var intermediateOCSPAddress: String?
        package var rootKey = PrivateKey.Kind.p384
        package var intermediateKey = PrivateKey.Kind.p384
        package var leafKey = PrivateKey.Kind.p256
        package var adjustRoot: Adjustment = { _ in }
        package var adjustIntermediate: Adjustment = { _ in }
        package var adjustLeaf: Adjustment = { _ in }

        package init(now: Int64) {
            self.now = now
        }
    }

    package let root: Certificate
    package let intermediate: Certificate
    package let leaf: Certificate
    package let leafKey: PrivateKey
    /// The authorities' keys, or nil after loading from a directory, because these keys are never written.
    package let authorityKeys: AuthorityKeys?

    /// The leaf, the intermediate and the root, in the order of `x5c`.
    package var chain: [Certificate] { [leaf, intermediate, root] }

    init(
        root: Certificate, intermediate: Certificate, leaf: Certificate, leafKey: PrivateKey,
        authorityKeys: AuthorityKeys?
    ) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        self.leafKey = leafKey
        self.authorityKeys = authorityKeys
    }

    /// Creates new keys and certificates.
    ///
    /// - Throws: ``AppStoreSigningError`` with code `cryptography`.
    package init(_ options: Options) throws(AppStoreSigningError) {
        do throws(CryptographyError) {
            let rootKey = try PrivateKey.generate(options.rootKey)
            let intermediateKey = try PrivateKey.generate(options.intermediateKey)
            let leafKey = try PrivateKey.generate(options.leafKey)
            let root = try Self.rootBuilder(options).selfSigned(key: rootKey)
            let intermediate = try Self.intermediateBuilder(options)
                .issued(for: intermediateKey, by: root, authorityKey: rootKey)
            let leaf = try Self.leafBuilder(options)
                .issued(for: leafKey, by: intermediate, authorityKey: intermediateKey)
            self.init(
                root: root, intermediate: intermediate, leaf: leaf, leafKey: leafKey,
                authorityKeys: AuthorityKeys(root: rootKey, intermediate: intermediateKey))
        } catch {
            throw AppStoreSigningError(.cryptography, "failed to create the test certificates", cause: error)
        }
    }
}

extension TestCertificateAuthority {
    private static let day: Int64 = 24 * 60 * 60

    /// Returns a validity period from `before` days before `now` to `after` days after it.
    private static func window(_ now: Int64, before: Int64, after: Int64) -> CertificateValidity {
        CertificateValidity(notBefore: now &- before * day, notAfter: now &+ after * day)
    }

    /// Returns the builder for the root, with adjustments applied.
    package static func rootBuilder(_ options: Options) -> CertificateBuilder {
        var builder = CertificateBuilder(
            subject: name("Sluice Test Root CA - G3", unit: "Test Certificate Authority"),
            validity: window(options.now, before: 3_650, after: 3_650),
            extensions: [.basicConstraints(isAuthority: true), .certificateSigning])
        options.adjustRoot(&builder)
        return builder
    }

    /// Returns the builder for the intermediate, with adjustments applied.
    package static func intermediateBuilder(_ options: Options) -> CertificateBuilder {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isAuthority: true, pathLength: 0), .certificateSigning,
            .crlAddress("http://crl.example.com/testrootcag3.crl"), .marker(intermediateMarker),
        ]
        if let address = options.intermediateOCSPAddress { extensions.append(.ocspAddress(address)) }
        var builder = CertificateBuilder(
            subject: name("Sluice Test Developer Relations Certification Authority", unit: "G6"),
            validity: window(options.now, before: 1_825, after: 1_825), extensions: extensions)
        options.adjustIntermediate(&builder)
        return builder
    }

    /// Returns the builder for the leaf, with adjustments applied.
    package static func leafBuilder(_ options: Options) -> CertificateBuilder {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isAuthority: false), .digitalSignature,
            .crlAddress("http://crl.example.com/testwwdrg6.crl"), .policyNotice(policyText), .marker(leafMarker),
        ]
        if let address = options.leafOCSPAddress { extensions.append(.ocspAddress(address)) }
        var builder = CertificateBuilder(
            subject: name(
                "Test ECC Mac App Store and iTunes Store Receipt Signing",
                unit: "Sluice Test Worldwide Developer Relations"),
            validity: window(options.now, before: 365, after: 365), extensions: extensions)
        options.adjustLeaf(&builder)
        return builder
    }

    private static func name(_ commonName: String, unit: String) -> [CertificateBuilder.NameAttribute] {
        [.init("CN", commonName), .init("OU", unit), .init("O", "Example Inc."), .init("C", "US")]
    }

    // The text is as long as the notice in a real leaf, so messages have a realistic size.
    private static let policyText = """
        This certificate was made for development and for tests. No one vouches for it, no one has checked what it says, and \
        nothing of value may depend on anything that is signed with its key. A service that handles real purchases and \
        trusts the root above it gives those purchases away.
        """
}

extension CertificateExtension {
    /// Returns a cRLDistributionPoints extension with one address (RFC 5280 section 4.2.1.13).
    static func crlAddress(_ url: String) -> CertificateExtension {
        let name = DER.value(0x86, Array(url.utf8))
        let point = DER.sequence(DER.value(0xA0, DER.value(0xA0, name)))
        return CertificateExtension(OID("2.5.29.31"), der: DER.sequence(point))
    }

    /// Returns a certificatePolicies extension with anyPolicy and a notice for readers (RFC 5280 section 4.2.1.4).
    static func policyNotice(_ text: String) -> CertificateExtension {
        let anyPolicy = DER.value(0x06, [0x55, 0x1D, 0x20, 0x00])
        let userNotice = DER.value(0x06, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x02])
        let notice = DER.sequence(DER.value(0x0C, Array(text.utf8)))
        let qualifiers = DER.sequence(DER.sequence(userNotice, notice))
        return CertificateExtension(OID("2.5.29.32"), der: DER.sequence(DER.sequence(anyPolicy, qualifiers)))
    }
}
