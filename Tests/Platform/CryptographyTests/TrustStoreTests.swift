import Cryptography
import Testing

struct TrustStoreTests {
    private let authority: TestAuthority
    private let store: TrustStore

    init() throws {
        authority = try TestAuthority.shared.get()
        store = try TrustStore(roots: [authority.root])
    }

    @Test func `a valid chain has a path of three with their common validity period`() throws {
        let path = try store.validate(chain: authority.chain).get()
        let (leaf, issuer, root) = try #require(path.leafIssuerRoot)
        #expect(leaf === authority.leaf)
        #expect(issuer === authority.intermediate)
        #expect(root === authority.root)
        #expect(path.validity == TestAuthority.leafBuilder.validity)
    }

    @Test func `the root may be omitted from the chain, and a wrong one is ignored`() throws {
        let untrusted = try TestAuthority(root: { $0.subject = [.init("CN", "Untrusted")] }).root
        for others in [[], [untrusted], [untrusted, authority.root], [authority.leaf, authority.intermediate]] {
            let path = try store.validate(chain: [authority.leaf, authority.intermediate] + others).get()
            #expect(path.certificates == authority.chain)
        }
    }

    @Test func `several roots can be trusted at once`() throws {
        let other = try TestAuthority(root: { $0.subject = [.init("CN", "Other Root")] })
        let both = try TrustStore(roots: [other.root, authority.root])
        #expect(try both.validate(chain: authority.chain).get().certificates.last === authority.root)
        #expect(try both.validate(chain: other.chain).get().certificates.last === other.root)
    }

    @Test func `shorter and longer paths validate, but not as leaf, issuer and root`() throws {
        let direct = try TestAuthority.leafBuilder
            .issued(for: authority.leafKey, by: authority.root, authorityKey: authority.rootKey)
        let two = try store.validate(chain: [direct]).get()
        #expect(two.certificates.count == 2)
        #expect(two.leafIssuerRoot == nil)
        let four = try store.validate(chain: longChain()).get()
        #expect(four.certificates.count == 4)
        #expect(four.leafIssuerRoot == nil)
        #expect(try store.validate(chain: [authority.root]).get().certificates.count == 1)
    }

    @Test func `the validity period is returned, not checked`() throws {
        let expired = try TestAuthority(intermediate: {
            $0.validity = CertificateValidity(notBefore: 1_000_000_000, notAfter: 1_100_000_000)
        })
        let path = try TrustStore(roots: [expired.root]).validate(chain: expired.chain).get()
        let window = try #require(path.validity)
        #expect(window.notAfter == 1_100_000_000)
        #expect(!window.contains(TestAuthority.now))
    }

    @Test func `a chain under another root has no path, with or without the root`() throws {
        let untrusted = try TestAuthority()
        for chain in [untrusted.chain, [untrusted.leaf, untrusted.intermediate], [untrusted.leaf]] {
            expect(store.validate(chain: chain), .noTrustedRoot)
        }
        expect(store.validate(chain: [authority.leaf]), .noTrustedRoot)
        expect(store.validate(chain: [authority.leaf, authority.root]), .noTrustedRoot)
        expect(store.validate(chain: []), .internalFailure)
    }

    @Test func `copied names and key identifiers do not make a certificate trusted`() throws {
        let untrusted = try TestAuthority()
        var builder = TestAuthority.intermediateBuilder
        builder.issuerName = TestAuthority.rootBuilder.subject
        builder.claimedAuthority = authority.root
        let intermediate = try builder.issued(
            for: untrusted.intermediateKey, by: untrusted.root, authorityKey: untrusted.rootKey)
        let leaf = try TestAuthority.leafBuilder.issued(
            for: untrusted.leafKey, by: intermediate, authorityKey: untrusted.intermediateKey)
        let forgedIssuer = expect(store.validate(chain: [leaf, intermediate]), .noTrustedRoot)
        #expect(forgedIssuer?.code == 7)
        #expect(forgedIssuer?.depth == 1)

        builder = TestAuthority.leafBuilder
        builder.claimedAuthority = authority.intermediate
        let forgedLeaf = try builder.issued(
            for: untrusted.leafKey, by: authority.intermediate, authorityKey: untrusted.intermediateKey)
        let failure = expect(store.validate(chain: [forgedLeaf, authority.intermediate]), .signature)
        #expect(failure?.code == 7)
        #expect(failure?.depth == 0)
    }

    /// A chain under a trusted root with one deviation and the expected failure.
    struct Deviation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: ChainError.Kind
        let make: @Sendable () throws -> TestAuthority

        init(_ name: String, _ kind: ChainError.Kind, _ make: @escaping @Sendable () throws -> TestAuthority) {
            testDescription = name
            self.kind = kind
            self.make = make
        }
    }

    static let deviations = [
        Deviation("intermediate is not an authority", .notCertificateAuthority) {
            try TestAuthority(intermediate: { $0.extensions[0] = .basicConstraints(isAuthority: false) })
        },
        Deviation("intermediate without basicConstraints and keyUsage", .notCertificateAuthority) {
            try TestAuthority(intermediate: { $0.extensions.removeFirst(2) })
        },
        Deviation("intermediate without keyCertSign", .notCertificateAuthority) {
            try TestAuthority(intermediate: { $0.extensions[1] = .digitalSignature })
        },
        Deviation("leaf with an unknown critical extension", .certificateExtension) {
            try TestAuthority(leaf: { $0.extensions.append(.marker(OID("1.2.3.4"), isCritical: true)) })
        },
        Deviation("intermediate with a critical marker", .certificateExtension) {
            try TestAuthority(intermediate: { $0.extensions[2] = .marker(TestAuthority.marker, isCritical: true) })
        },
        Deviation("leaf signed with SHA-1", .signature) { try TestAuthority(leaf: { $0.digest = .sha1 }) },
        Deviation("leaf signed with SHA-224", .signature) { try TestAuthority(leaf: { $0.digest = .sha224 }) },
        Deviation("intermediate signed with SHA-1", .signature) {
            try TestAuthority(intermediate: { $0.digest = .sha1 })
        },
        Deviation("intermediate with RSA 2048", .signature) { try TestAuthority(intermediateKind: .rsa(bits: 2048)) },
        Deviation("leaf with RSA 2048", .leafKey) { try TestAuthority(leafKind: .rsa(bits: 2048)) },
        Deviation("leaf with explicit parameters", .leafKey) {
            try TestAuthority(leafKind: .p256WithExplicitParameters)
        },
        Deviation("intermediate with explicit parameters", .signature) {
            try TestAuthority(intermediateKind: .p256WithExplicitParameters)
        },
        Deviation("intermediate with two basicConstraints", .noTrustedRoot) {
            try TestAuthority(intermediate: { $0.extensions.append(.basicConstraints(isAuthority: true)) })
        },
        Deviation("leaf with another issuer's name", .noTrustedRoot) {
            try TestAuthority(leaf: { $0.issuerName = [.init("CN", "Somebody")] })
        },
    ]

    @Test(arguments: deviations)
    func `a nonconforming chain is refused with its kind of error`(deviation: Deviation) throws {
        let authority = try deviation.make()
        let store = try TrustStore(roots: [authority.root])
        expect(store.validate(chain: authority.chain), deviation.kind)
    }

    @Test func `a path longer than the intermediate allows is refused`() throws {
        let chain = try longChain { $0.extensions[0] = .basicConstraints(isAuthority: true, pathLength: 0) }
        expect(store.validate(chain: chain), .notCertificateAuthority)
    }

    @Test func `a root that is not self-signed is refused`() throws {
        #expect(throws: CryptographyError.self) { try TrustStore(roots: []) }
        for bad in [authority.intermediate, authority.leaf] {
            let error = try #require(throws: CryptographyError.self) { try TrustStore(roots: [authority.root, bad]) }
            #expect(error.code == .untrustworthyRoot)
        }
        // The certificate is self-issued by name, but signed by another key.
        var builder = TestAuthority.rootBuilder
        builder.hasKeyIdentifiers = false
        let forged = try builder.issued(
            for: authority.intermediateKey, by: authority.root, authorityKey: authority.leafKey)
        #expect(throws: CryptographyError.self) { try TrustStore(roots: [forged]) }
    }

    @Test func `a store can be used from four threads at once`() async {
        let failures = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<10).count { _ in (try? store.validate(chain: authority.chain).get()) == nil }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }

    /// A chain of leaf, second intermediate and first intermediate under the shared root.
    private func longChain(first adjust: TestAuthority.Adjustment = { _ in }) throws -> [Certificate] {
        var builder = TestAuthority.intermediateBuilder
        adjust(&builder)
        let first = try builder.issued(
            for: authority.intermediateKey, by: authority.root, authorityKey: authority.rootKey)
        builder = TestAuthority.intermediateBuilder
        builder.subject = [.init("CN", "Second Intermediate")]
        let secondKey = try PrivateKey.generate(.p384)
        let second = try builder.issued(for: secondKey, by: first, authorityKey: authority.intermediateKey)
        let leaf = try TestAuthority.leafBuilder.issued(for: authority.leafKey, by: second, authorityKey: secondKey)
        return [leaf, second, first]
    }

    @discardableResult
    private func expect(
        _ result: ChainResult, _ kind: ChainError.Kind, sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChainError? {
        guard case .failure(let failure) = result else {
            Issue.record("an unexpected path", sourceLocation: sourceLocation)
            return nil
        }
        #expect(failure.kind == kind, "\(failure)", sourceLocation: sourceLocation)
        return failure
    }
}
