import Cryptography
import Foundation

/// The same sequence for the same seed: a failing test can be run again (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Where the test vectors lie: `SLUICE_TEST_VECTORS`, or `shared/vectors` beside an enclosing directory of this file.
enum Vectors {
    static let missing = "no test vectors: set SLUICE_TEST_VECTORS to their directory"

    static let directory: URL? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_VECTORS"] { return existing(path) }
        var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            if let found = existing(folder.appendingPathComponent("shared/vectors").path) { return found }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    static var isPresent: Bool { directory != nil }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let directory else { throw CocoaError(.fileNoSuchFile) }
        return Array(try Data(contentsOf: directory.appendingPathComponent(path)))
    }

    private static func existing(_ path: String) -> URL? {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        return exists && isDirectory.boolValue ? URL(fileURLWithPath: path, isDirectory: true) : nil
    }
}

/// A root, an intermediate and a leaf with their keys, at a fixed time.
struct TestAuthority: Sendable {
    static let now: Int64 = 1_790_000_000
    static let year: Int64 = 31_557_600
    static let marker = OID("1.3.6.1.4.1.55555.1")

    /// Made once: most tests only read it.
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

    /// A responder certificate that `issuer` gives, or that deviates.
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
