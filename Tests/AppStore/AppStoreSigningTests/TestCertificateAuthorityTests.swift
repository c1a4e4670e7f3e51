import AppStoreSigning
import Cryptography
import Foundation
import TestSupport
import Testing

struct TestCertificateAuthorityTests {
    private static let now: Int64 = 1_790_000_000

    @Test func `the chain has the same structure as Apple's`() throws {
        let pki = try TestCertificateAuthority(TestCertificateAuthority.Options(now: Self.now))
        let path = try TrustStore(roots: [pki.root]).validate(chain: pki.chain).get()
        #expect(path.certificates == pki.chain)
        #expect(path.validity?.contains(Self.now) == true)
        #expect(pki.leaf.extensionCount(TestCertificateAuthority.leafMarker) == 1)
        #expect(pki.leaf.extensionCount(TestCertificateAuthority.intermediateMarker) == 0)
        #expect(pki.intermediate.extensionCount(TestCertificateAuthority.intermediateMarker) == 1)
        #expect(pki.chain.map(\.publicKeyKind) == [.p256, .p384, .p384])
        #expect(pki.chain.allSatisfy { $0.signatureAlgorithm == .ecdsaWithSHA384 && $0.hasUsableExtensions })
        #expect(pki.intermediate.maySignCertificates && !pki.leaf.maySignCertificates && pki.leaf.maySignData)
        #expect(pki.leaf.ocspURL == nil)
    }

    @Test func `the certificates are about as large as Apple's`() throws {
        var options = TestCertificateAuthority.Options(now: Self.now)
        options.leafOCSPAddress = "http://ocsp.example.com/ocsp03-wwdrg602"
        options.intermediateOCSPAddress = "http://ocsp.example.com/ocsp03-rootcag3"
        let pki = try TestCertificateAuthority(options)
        // The sizes of Apple's certificates: 1,077, 794 and 583 bytes.
        #expect((970...1_180).contains(pki.leaf.der.count), "\(pki.leaf.der.count)")
        #expect((720...870).contains(pki.intermediate.der.count), "\(pki.intermediate.der.count)")
        #expect((530...640).contains(pki.root.der.count), "\(pki.root.der.count)")
        #expect(pki.leaf.ocspURL == options.leafOCSPAddress)
        #expect(pki.intermediate.ocspURL == options.intermediateOCSPAddress)
    }

    @Test func `adjustments are applied to the certificates`() throws {
        var options = TestCertificateAuthority.Options(now: Self.now)
        options.leafKey = .p384
        options.adjustRoot = { $0.subject = [.init("CN", "Another")] }
        options.adjustIntermediate = { $0.extensions = [] }
        options.adjustLeaf = { $0.version = 1 }
        let pki = try TestCertificateAuthority(options)
        #expect(pki.root.subject == "CN=Another")
        #expect(!pki.intermediate.isCertificateAuthority)
        #expect(pki.leaf.version == 1)
        #expect(pki.leaf.publicKeyKind == .p384)
    }

    @Test func `an authority saved to a directory loads unchanged, and its key is private`() throws {
        let parent = try TemporaryDirectory()
        let directory = parent.file("pki")
        let pki = try TestCertificateAuthority(TestCertificateAuthority.Options(now: Self.now))
        try pki.save(to: directory)
        // The second call replaces the files of the first.
        try pki.save(to: directory)
        let loaded = try TestCertificateAuthority.load(from: directory)
        #expect(loaded.chain == pki.chain)
        #expect(loaded.leafKey.publicKey?.uncompressedPoint == pki.leafKey.publicKey?.uncompressedPoint)
        #expect(loaded.authorityKeys == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/leaf.key")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(files == ["intermediate.pem", "leaf.key", "leaf.pem", "root.pem"])
    }

    @Test func `an incomplete or mixed directory is rejected`() throws {
        let parent = try TemporaryDirectory()
        let directory = parent.file("pki")
        #expect(throws: AppStoreSigningError.self) { try TestCertificateAuthority.load(from: directory) }
        let pki = try TestCertificateAuthority(TestCertificateAuthority.Options(now: Self.now))
        try pki.save(to: directory)
        let other = try PrivateKey.generate(.p256)
        try Data(try other.pem()).write(to: URL(fileURLWithPath: directory + "/leaf.key"))
        let mixed = try #require(throws: AppStoreSigningError.self) {
            try TestCertificateAuthority.load(from: directory)
        }
        #expect(mixed.code == .directory)
        try Data("junk".utf8).write(to: URL(fileURLWithPath: directory + "/root.pem"))
        let junk = try #require(throws: AppStoreSigningError.self) {
            try TestCertificateAuthority.load(from: directory)
        }
        #expect(junk.code == .cryptography)
        try FileManager.default.removeItem(atPath: directory + "/root.pem")
        #expect(throws: AppStoreSigningError.self) { try TestCertificateAuthority.load(from: directory) }
        #expect(throws: AppStoreSigningError.self) { try pki.save(to: directory + "/leaf.pem/below-a-file") }
    }
}
