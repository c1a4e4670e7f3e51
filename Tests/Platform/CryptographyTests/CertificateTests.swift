import Cryptography
import Foundation
import TestSupport
import Testing

struct CertificateTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority.shared.get() }

    @Test func `a certificate has the properties with which it was issued`() throws {
        let authority = try TestAuthority(leaf: {
            $0.serialNumber = [0x40, 0x00, 0xAB]
            $0.subject = [.init("C", "US"), .init("O", "Exämple, Inc."), .init("CN", "Leaf")]
        })
        let leaf = authority.leaf
        #expect(leaf.serialNumber == "4000ab")
        #expect(leaf.subject == "CN=Leaf,O=Exämple\\, Inc.,C=US")
        #expect(leaf.issuer == "O=Example,CN=Test Intermediate")
        #expect(leaf.version == 3)
        #expect(leaf.validity == TestAuthority.leafBuilder.validity)
        #expect(leaf.sha256Fingerprint == SHA256.digest(of: leaf.der))
        #expect(leaf.signatureAlgorithm == .ecdsaWithSHA384)
        #expect(leaf.publicKeyKind == .p256)
        #expect(leaf.ocspURL == "http://ocsp.example.com/leaf")
        #expect(leaf.hasUsableExtensions)
        #expect(!leaf.isCertificateAuthority)
        #expect(!leaf.maySignCertificates)
        #expect(leaf.maySignData)
        #expect(!leaf.constrainsPath)
        #expect(leaf.extensionCount(TestAuthority.marker) == 1)
        #expect(leaf.extensionCount(OID("2.5.29.32")) == 0)
        #expect(P256PublicKey(certificate: leaf)?.uncompressedPoint == authority.leafKey.publicKey?.uncompressedPoint)
        #expect(P256PublicKey(certificate: authority.intermediate) == nil)
    }

    @Test func `a certificate authority is distinguished from a leaf`() {
        #expect(authority.intermediate.isCertificateAuthority)
        #expect(authority.intermediate.maySignCertificates)
        #expect(!authority.intermediate.maySignData)
        #expect(authority.intermediate.publicKeyKind == .p384)
        #expect(authority.intermediate.ocspURL == nil)
        #expect(authority.root.subject == authority.root.issuer)
    }

    @Test func `nonconforming certificates are reported as such`() throws {
        let twice = try leaf { $0.extensions.append(.marker(TestAuthority.marker)) }
        #expect(twice.extensionCount(TestAuthority.marker) == 2)
        let first = try leaf { $0.version = 1 }
        #expect(first.version == 1)
        #expect(!first.hasUsableExtensions)
        let critical = try leaf { $0.extensions.append(.marker(OID("1.2.3.4"), isCritical: true)) }
        #expect(!critical.hasUsableExtensions)
        // nameConstraints, policyConstraints, policyMappings, inhibitAnyPolicy.
        for oid in ["2.5.29.30", "2.5.29.36", "2.5.29.33", "2.5.29.54"] {
            let constrained = try leaf {
                if let oid = OID(dotted: oid) { $0.extensions.append(CertificateExtension(oid, der: [0x30, 0x00])) }
            }
            #expect(constrained.constrainsPath)
        }
        let agreement = try leaf {
            $0.extensions[1] = CertificateExtension(OID("2.5.29.15"), isCritical: true, der: [3, 2, 3, 8])
        }
        #expect(!agreement.maySignData)
        let secure = try leaf { $0.extensions[3] = .ocspAddress("https://ocsp.example.com") }
        #expect(secure.ocspURL == nil)
        let long = try leaf { $0.extensions[3] = .ocspAddress("http://" + String(repeating: "a", count: 600)) }
        #expect(long.ocspURL == nil)
        let weak = try leaf { $0.digest = .sha1 }
        #expect(weak.signatureAlgorithm == .other("ecdsa-with-SHA1"))
    }

    @Test(
        arguments: [
            (.p256, .p256), (.p384, .p384), (.p521, .other("EC secp521r1")), (.secp256k1, .other("EC secp256k1")),
            (.rsa(bits: 1024), .other("RSA")), (.ed25519, .other("ED25519")),
            (.p256WithExplicitParameters, .other("EC prime256v1 (explicit parameters)")),
            (.p256WithCompressedPoint, .other("EC prime256v1 (compressed)")),
        ] as [(PrivateKey.Kind, PublicKeyKind)])
    func `only named curves with uncompressed points are accepted`(made: PrivateKey.Kind, read: PublicKeyKind) throws {
        let certificate = try TestAuthority(leafKind: made).leaf
        #expect(certificate.publicKeyKind == read)
        #expect((P256PublicKey(certificate: certificate) != nil) == (read == .p256))
    }

    @Test func `every truncation and every trailing byte is refused`() {
        let der = authority.leaf.der
        for count in 0..<der.count {
            #expect(throws: CryptographyError.self) { try Certificate(der: Array(der.prefix(count))) }
        }
        #expect(throws: CryptographyError.self) { try Certificate(der: der + [0]) }
        #expect(throws: CryptographyError.self) { try Certificate(der: der + der) }
        #expect(throws: CryptographyError.self) { try Certificate(der: Array("<html>".utf8)) }
    }

    @Test func `corrupted certificates never crash and never validate`() throws {
        let store = try TrustStore(roots: [authority.root])
        var generator = SeededGenerator(seed: 20_261_121)
        var parsed = 0
        for round in 0..<200 {
            var der = round.isMultiple(of: 2) ? authority.leaf.der : authority.intermediate.der
            let original = der
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<der.count, using: &generator)
                der[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            guard der != original, let damaged = try? Certificate(der: der) else { continue }
            parsed += 1
            touchEveryFact(of: damaged)
            // The certificate's own signature covers everything except its own encoding.
            let chain =
                round.isMultiple(of: 2)
                ? [damaged, authority.intermediate] : [authority.leaf, damaged, authority.root]
            if case .success = store.validate(chain: chain) {
                Issue.record("round \(round): \(HexText.encode(der))")
            }
        }
        #expect(parsed > 20)
    }

    @Test func `PEM contains one or several certificates in order, with text around them`() throws {
        let both = Array("a comment\n".utf8) + authority.leaf.pem + Array("\n\n# more\n".utf8) + authority.root.pem
        #expect(try Certificate.certificates(encoded: both) == [authority.leaf, authority.root])
        #expect(try Certificate.certificates(encoded: authority.root.der) == [authority.root])
    }

    // Variants of stored certificates, because editors and secret stores add and remove line ends.
    @Test(arguments: ["", "\n\n", "\r\n", " \t", "\u{FEFF}", "\u{FEFF}\r\n"], [false, true])
    func `PEM is read with leading blanks, with either line ending, and without the last line ending`(
        _ front: String, _ isWindows: Bool
    ) throws {
        var text = String(decoding: authority.root.pem + authority.leaf.pem, as: UTF8.self)
        if isWindows { text = text.replacing("\n", with: "\r\n") }
        for form in [front + text, front + text.trimmingCharacters(in: .newlines)] {
            #expect(try Certificate.certificates(encoded: Array(form.utf8)) == [authority.root, authority.leaf])
        }
    }

    @Test func `the root check for other libraries accepts only PEM that needs no normalization`() throws {
        let root = authority.root
        try Certificate.checkRoots(pem: root.pem)
        try Certificate.checkRoots(pem: Array("text\n".utf8) + root.pem)
        for (bytes, fix) in [
            (root.der, "openssl x509 -inform DER"), (Array("  ".utf8) + root.pem, "remove the whitespace"),
            (Array("text".utf8), "no certificate"), ([], "no certificate"),
        ] {
            let error = #expect(throws: CryptographyError.self) { try Certificate.checkRoots(pem: bytes) }
            #expect(error?.message.contains(fix) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `PEM that is truncated, empty or of another type is refused`() throws {
        let pem = authority.leaf.pem
        let hostile: [[UInt8]] = [
            [], Array("nothing here".utf8), Array(pem.prefix(pem.count / 2)), pem + Array(pem.prefix(100)),
            try authority.leafKey.pem(), pem + (try authority.leafKey.pem()),
            Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
            authority.leaf.der + [0],
        ]
        for text in hostile {
            #expect(throws: CryptographyError.self) { try Certificate.certificates(encoded: text) }
        }
    }

    @Test func `object identifiers are parsed and formatted in dotted decimal notation`() {
        #expect(OID(dotted: "1.2.840.113635.100.6.11.1") != nil)
        #expect(OID(dotted: "basicConstraints") == nil)
        #expect(OID(dotted: "1.2.x") == nil)
        #expect(OID(dotted: "") == nil)
        #expect(OID("1.2.3") == OID(dotted: "1.2.3"))
    }

    @Test func `a validity period includes both its bounds`() {
        let window = CertificateValidity(notBefore: 100, notAfter: 200)
        #expect(!window.contains(99) && window.contains(100) && window.contains(200) && !window.contains(201))
        #expect(window.distance(to: 90) == -10)
        #expect(window.distance(to: 150) == 0)
        #expect(window.distance(to: 207) == 7)
        #expect(CertificateValidity(notBefore: .min, notAfter: 0).distance(to: .max) == .max)
    }

    private func leaf(_ adjust: (inout CertificateBuilder) -> Void) throws -> Certificate {
        var builder = TestAuthority.leafBuilder
        adjust(&builder)
        return try builder.issued(
            for: authority.leafKey, by: authority.intermediate, authorityKey: authority.intermediateKey)
    }

    private func touchEveryFact(of certificate: Certificate) {
        _ = certificate.serialNumber
        _ = certificate.subject
        _ = certificate.issuer
        _ = certificate.version
        _ = certificate.validity
        _ = certificate.signatureAlgorithm
        _ = certificate.publicKeyKind
        _ = certificate.maySignCertificates
        _ = certificate.maySignData
        _ = certificate.hasUsableExtensions
        _ = certificate.constrainsPath
        _ = certificate.ocspURL
        _ = certificate.extensionCount(TestAuthority.marker)
        _ = P256PublicKey(certificate: certificate)
    }
}
