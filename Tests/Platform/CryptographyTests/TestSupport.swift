import Cryptography
import Foundation

/// A root, an intermediate and a leaf with their keys, valid at a fixed time.
struct TestAuthority: Sendable {
    static let now: Int64 = 1_790_000_000
    static let year: Int64 = 31_557_600
    static let marker = OID("1.3.6.1.4.1.55555.1")

    /// An authority shared by most tests, because they only read it.
    static let shared = Result { try TestAuthority() }

    let rootKey: PrivateKey
    let intermediateKey: PrivateKey
    let leafKey: PrivateKey
    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate

    var chain: [Certificate] { [leaf, intermediate, root] }

    typealias Adjustment = (inout CertificateBuilder) -> Void

    init(
        rootKind: PrivateKey.Kind = .p384, intermediateKind: PrivateKey.Kind = .p384, leafKind: PrivateKey.Kind = .p256,
        root adjustRoot: Adjustment = { _ in }, intermediate adjustIntermediate: Adjustment = { _ in },
        leaf adjustLeaf: Adjustment = { _ in }
    ) throws {
        rootKey = try PrivateKey.generate(rootKind)
        intermediateKey = try PrivateKey.generate(intermediateKind)
        leafKey = try PrivateKey.generate(leafKind)
        var builder = Self.rootBuilder
        adjustRoot(&builder)
        root = try builder.selfSigned(key: rootKey)
        builder = Self.intermediateBuilder
        adjustIntermediate(&builder)
        intermediate = try builder.issued(for: intermediateKey, by: root, authorityKey: rootKey)
        builder = Self.leafBuilder
        adjustLeaf(&builder)
        leaf = try builder.issued(for: leafKey, by: intermediate, authorityKey: intermediateKey)
    }

    static var rootBuilder: CertificateBuilder {
        CertificateBuilder(
            subject: [.init("CN", "Test Root")],
            validity: CertificateValidity(notBefore: now - 5 * year, notAfter: now + 15 * year),
            extensions: [.basicConstraints(isAuthority: true), .certificateSigning])
    }

    static var intermediateBuilder: CertificateBuilder {
        CertificateBuilder(
            subject: [.init("CN", "Test Intermediate"), .init("O", "Example")],
            validity: CertificateValidity(notBefore: now - 2 * year, notAfter: now + 2 * year),
            extensions: [.basicConstraints(isAuthority: true), .certificateSigning, .marker(marker)])
    }

    static var leafBuilder: CertificateBuilder {
        CertificateBuilder(
            subject: [.init("CN", "Test Leaf")],
            validity: CertificateValidity(notBefore: now - year, notAfter: now + year),
            extensions: [
                .basicConstraints(isAuthority: false), .digitalSignature, .marker(marker),
                .ocspAddress("http://ocsp.example.com/leaf"),
            ])
    }

    /// Issues a responder certificate signed by `issuer`, by default the intermediate.
    func responder(
        kind: PrivateKey.Kind = .p256, by issuer: Certificate? = nil, issuerKey: PrivateKey? = nil,
        adjust: Adjustment = { _ in }
    ) throws -> (certificate: Certificate, key: PrivateKey) {
        let key = try PrivateKey.generate(kind)
        var builder = CertificateBuilder(
            subject: [.init("CN", "Test Responder")],
            validity: CertificateValidity(notBefore: Self.now - 86_400, notAfter: Self.now + 30 * 86_400),
            extensions: [.basicConstraints(isAuthority: false), .digitalSignature, .ocspSigning, .ocspNoCheck])
        adjust(&builder)
        let certificate = try builder.issued(
            for: key, by: issuer ?? intermediate, authorityKey: issuerKey ?? intermediateKey)
        return (certificate, key)
    }
}
