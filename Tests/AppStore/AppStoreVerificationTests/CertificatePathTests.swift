import AppStoreSigning
import Cryptography
import Testing

@testable import AppStoreVerification

/// Checks 7 to 9 and the leaf's key: rows H-59 to H-88.
@Suite struct CertificatePathTests {
    @Test(arguments: lookAlikes)
    func `a path must end in a pinned root`(_ row: HostileInput) throws {
        try row.check()
    }

    @Test(arguments: markers)
    func `leaf and intermediate carry Apple's markers, and only authorities issue`(_ row: HostileInput) throws {
        try row.check()
    }

    @Test(arguments: extensions)
    func `extensions that could change the meaning are refused`(_ row: HostileInput) throws {
        try row.check()
    }

    @Test(arguments: keys)
    func `keys and algorithms outside the profile are refused`(_ row: HostileInput) throws {
        try row.check()
    }

    private func refusal(_ chain: [Certificate], _ key: PrivateKey) throws -> Refusal? {
        let kit = try SigningKit.shared()
        let body = SigningKit.body(try kit.jws(chain: chain, key: key))
        guard case .notApple(let refusal) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
            return nil
        }
        return refusal
    }

    @Test func `an unknown root under the right markers is named by its fingerprint`() throws {
        let own = try Self.imposter.get()
        let refusal = try #require(try refusal(own.pki.chain, own.pki.leafKey))
        #expect(refusal.reason == .chainRoot)
        #expect(refusal.unknownRootFingerprint == SHA256.digest(of: own.pki.root.der).hex)
    }

    @Test func `without both markers, or with the pinned root at the end, there is no unknown root to name`() throws {
        let kit = try SigningKit.shared()
        let own = try Self.imposter.get()
        let plainLeaf = try own.leaf { $0.drop(OID("1.2.840.113635.100.6.11.1")) }
        let plain = try own.intermediate { $0.drop(OID("1.2.840.113635.100.6.2.1")) }
        let underPlain = try own.leaf(under: plain)
        let chains = [
            ([plainLeaf.certificate, own.pki.intermediate, own.pki.root], plainLeaf.key),
            ([underPlain.certificate, plain.certificate, own.pki.root], underPlain.key),
            ([own.pki.leaf, own.pki.intermediate, kit.pki.root], own.pki.leafKey),
        ]
        for (chain, key) in chains {
            let refusal = try #require(try refusal(chain, key))
            #expect(refusal.reason == .chainRoot)
            #expect(refusal.unknownRootFingerprint == nil)
        }
    }

    private static let basicConstraints = OID("2.5.29.19")
    private static let keyUsage = OID("2.5.29.15")

    // MARK: Check 7

    /// A complete authority with the same names.
    private static let imposter = Result { SigningKit(pki: try ThrowawayPKI(SigningKit.options)) }

    static let lookAlikes: [HostileInput] = [
        HostileInput(
            "H-59", "crit, own chain", .forbidden(.chainRoot),
            jws: { _ in
                let own = try imposter.get()
                return try own.jws(chain: own.pki.chain, key: own.pki.leafKey, extra: ",\"crit\":[\"x\"]")
            }),
        HostileInput(
            "H-61", "jwk, own chain", .forbidden(.chainRoot),
            jws: { _ in
                let own = try imposter.get()
                return try own.jws(chain: own.pki.chain, key: own.pki.leafKey, extra: ",\"jwk\":{\"kty\":\"EC\"}")
            }),
        HostileInput(
            "H-63", "a self-signed leaf three times", .forbidden(.chainRoot),
            jws: { kit in
                let key = try PrivateKey.generate(.p256)
                let leaf = try ThrowawayPKI.leafBuilder(SigningKit.options).selfSigned(key: key)
                return try kit.jws(chain: [leaf, leaf, leaf], key: key)
            }),
        HostileInput(
            "H-69", "a look-alike chain", .forbidden(.chainRoot),
            jws: { _ in
                let own = try imposter.get()
                return try own.jws(chain: own.pki.chain, key: own.pki.leafKey)
            }),
        HostileInput(
            "H-69", "a look-alike chain with the real root's key identifier", .forbidden(.chainRoot),
            jws: { kit in
                let own = try imposter.get()
                let intermediate = try own.intermediate { $0.claimedAuthority = kit.pki.root }
                let leaf = try own.leaf(under: intermediate)
                return try own.jws(
                    chain: [leaf.certificate, intermediate.certificate, own.pki.root], key: leaf.key)
            }),
        HostileInput(
            "H-70", "look-alikes and the real root", .forbidden(.chainRoot),
            jws: { kit in
                let own = try imposter.get()
                return try own.jws(chain: [own.pki.leaf, own.pki.intermediate, kit.pki.root], key: own.pki.leafKey)
            }),
        HostileInput(
            "H-70", "look-alikes without key identifiers and the real root", .forbidden(.chainRoot),
            jws: { kit in
                let own = try imposter.get()
                let intermediate = try own.intermediate { $0.hasKeyIdentifiers = false }
                let leaf = try own.leaf(under: intermediate) { $0.hasKeyIdentifiers = false }
                return try own.jws(chain: [leaf.certificate, intermediate.certificate, kit.pki.root], key: leaf.key)
            }),
        HostileInput(
            "H-71", "a look-alike leaf over the real intermediate", .forbidden(.chainSignature),
            jws: { kit in
                let own = try imposter.get()
                let leaf = try own.leaf { $0.claimedAuthority = kit.pki.intermediate }
                return try kit.jws(leaf: leaf)
            }),
        HostileInput(
            "H-71", "a look-alike leaf with its own key identifier", .forbidden(.chainRoot),
            jws: { kit in
                let own = try imposter.get()
                return try kit.jws(leaf: own.leaf())
            }),
        HostileInput(
            "H-84", "leaf and intermediate swapped", .forbidden(.chainRoot),
            jws: { kit in
                try kit.jws(chain: [kit.pki.intermediate, kit.pki.leaf, kit.pki.root], key: kit.pki.leafKey)
            }),
        HostileInput(
            "J13", "a path of four, all in order", .forbidden(.chainRoot),
            jws: { kit in
                let upper = try kit.intermediate {
                    $0.replace(.basicConstraints(isAuthority: true, pathLength: 1))
                }
                let lower = try kit.intermediate(under: upper)
                let leaf = try kit.leaf(under: lower)
                return try kit.jws(
                    chain: [leaf.certificate, lower.certificate, upper.certificate, kit.pki.root], key: leaf.key)
            }),
        HostileInput(
            "J13", "a leaf straight under the root", .forbidden(.chainRoot),
            jws: { kit in
                try kit.jws(leaf: kit.leaf(under: kit.root()))
            }),
    ]

    // MARK: Checks 8 and 9

    static let markers: [HostileInput] = [
        HostileInput(
            "H-73", "a developer's certificate", .forbidden(.leafMarker),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.drop(ThrowawayPKI.leafMarker) })
            }),
        HostileInput(
            "H-73", "the leaf's marker twice", .forbidden(.leafMarker),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.extensions.append(.marker(ThrowawayPKI.leafMarker)) })
            }),
        HostileInput(
            "H-73", "the intermediate's marker on the leaf", .forbidden(.leafMarker),
            jws: { kit in
                try kit.jws(
                    leaf: kit.leaf {
                        $0.drop(ThrowawayPKI.leafMarker)
                        $0.extensions.append(.marker(ThrowawayPKI.intermediateMarker))
                    })
            }),
        HostileInput(
            "H-74", "an intermediate without its marker", .forbidden(.intermediateMarker),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.drop(ThrowawayPKI.intermediateMarker) })
            }),
        HostileInput(
            "H-75", "an end entity signs a child", .forbidden(.notCertificateAuthority),
            jws: { kit in
                let developer = try kit.leaf { $0.drop(ThrowawayPKI.leafMarker) }
                let child = try kit.leaf(under: developer)
                return try kit.jws(
                    chain: [child.certificate, developer.certificate, kit.pki.intermediate, kit.pki.root],
                    key: child.key)
            }),
        HostileInput(
            "H-75", "an end entity under the root signs a child", .forbidden(.notCertificateAuthority),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate {
                        $0.replace(.basicConstraints(isAuthority: false))
                        $0.replace(.digitalSignature)
                    })
            }),
        HostileInput(
            "H-76", "an intermediate without basicConstraints", .forbidden(.notCertificateAuthority),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.drop(basicConstraints) })
            }),
        HostileInput(
            "H-76", "an authority that may not sign certificates", .forbidden(.notCertificateAuthority),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.replace(.digitalSignature) })
            }),
        HostileInput(
            "H-76", "path length exceeded", .forbidden(.notCertificateAuthority),
            jws: { kit in
                // Another name than its issuer's: self-issued certificates do not count in a path's length.
                let lower = try kit.intermediate(under: kit.intermediate()) { $0.subject = [.init("CN", "Lower")] }
                let leaf = try kit.leaf(under: lower)
                return try kit.jws(
                    chain: [leaf.certificate, lower.certificate, kit.pki.intermediate, kit.pki.root], key: leaf.key)
            }),
    ]

    // MARK: Extensions

    static let extensions: [HostileInput] = [
        HostileInput(
            "H-80", "unknown and critical in the leaf", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.extensions.append(.marker(OID("1.2.3.4"), isCritical: true)) })
            }),
        HostileInput(
            "H-80", "unknown and not critical in the leaf", .accepted,
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.extensions.append(.marker(OID("1.2.3.4"))) })
            }),
        HostileInput(
            "H-80", "unknown and critical in the intermediate", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate { $0.extensions.append(.marker(OID("1.2.3.4"), isCritical: true)) })
            }),
        HostileInput(
            "H-80", "a critical marker", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.replace(.marker(ThrowawayPKI.leafMarker, isCritical: true)) })
            }),
        HostileInput(
            "H-82", "name constraints, critical", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.extensions.append(nameConstraints(isCritical: true)) })
            }),
        HostileInput(
            "H-82", "name constraints, not critical", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.extensions.append(nameConstraints(isCritical: false)) })
            }),
        HostileInput(
            "H-82", "policy constraints", .forbidden(.certificateExtension),
            jws: { kit in
                let constraints = CertificateExtension(
                    OID("2.5.29.36"), isCritical: true, der: [0x30, 0x03, 0x80, 0x01, 0x00])
                return try kit.jws(intermediate: kit.intermediate { $0.extensions.append(constraints) })
            }),
        HostileInput(
            "H-82", "a leaf of version 1", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.version = 1 })
            }),
    ]

    // dNSName a.b.com permitted.
    private static func nameConstraints(isCritical: Bool) -> CertificateExtension {
        let name = DER.value(0x82, Array("a.b.com".utf8))
        return CertificateExtension(
            OID("2.5.29.30"), isCritical: isCritical, der: DER.sequence(DER.value(0xA0, DER.sequence(name))))
    }

    // MARK: Keys and algorithms

    static let keys: [HostileInput] = [
        leafKey("RSA", .rsa(bits: 3072)), leafKey("P-384", .p384), leafKey("Ed25519", .ed25519),
        leafKey("secp256k1", .secp256k1), leafKey("P-256 with explicit parameters", .p256WithExplicitParameters),
        leafKey("P-256 with a compressed point", .p256WithCompressedPoint),
        HostileInput(
            "H-81", "a leaf that is an authority", .forbidden(.leafKey),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.replace(.basicConstraints(isAuthority: true)) })
            }),
        HostileInput(
            "H-81", "a leaf for key agreement only", .forbidden(.leafKey),
            jws: { kit in
                let agreement = CertificateExtension(keyUsage, isCritical: true, der: [0x03, 0x02, 0x03, 0x08])
                return try kit.jws(leaf: kit.leaf { $0.replace(agreement) })
            }),
        HostileInput(
            "H-88", "an RSA intermediate", .forbidden(.chainSignature),
            jws: { kit in
                let intermediate = try kit.intermediate(key: .rsa(bits: 3072))
                let leaf = try kit.leaf(under: intermediate) { $0.digest = .sha256 }
                return try kit.jws(chain: [leaf.certificate, intermediate.certificate, kit.pki.root], key: leaf.key)
            }),
        HostileInput(
            "H-88", "a P-521 intermediate", .forbidden(.chainSignature),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate(key: .p521))
            }),
        HostileInput(
            "H-88", "SHA-1", .forbidden(.chainSignature),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.digest = .sha1 })
            }),
        HostileInput(
            "H-88", "SHA-224", .forbidden(.chainSignature),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.digest = .sha224 })
            }),
        HostileInput("H-88", "SHA-256", .accepted, jws: { kit in try kit.jws(leaf: kit.leaf { $0.digest = .sha256 }) }),
        HostileInput("H-88", "SHA-512", .accepted, jws: { kit in try kit.jws(leaf: kit.leaf { $0.digest = .sha512 }) }),
        HostileInput(
            "2.4", "a P-256 intermediate", .accepted,
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate(key: .p256))
            }),
    ]

    @Test func `a pinned RSA root does not make RSA signatures good`() throws {
        let kit = try SigningKit.shared()
        var options = SigningKit.options
        options.rootKey = .rsa(bits: 3072)
        options.adjustRoot = { $0.digest = .sha256 }
        options.adjustIntermediate = { $0.digest = .sha256 }
        let other = SigningKit(pki: try ThrowawayPKI(options))
        let verifier = try kit.verifier { $0.roots = [other.pki.root.der] }
        #expect(
            ExpectedVerdict(verifier.verify(body: try other.body(.test), at: SigningKit.now))
                == .forbidden(.chainSignature))
    }

    private static func leafKey(_ name: String, _ kind: PrivateKey.Kind) -> HostileInput {
        // Nobody can sign ES256 with such a key, so another signs: the leaf is refused before its signature is looked at.
        HostileInput(
            "H-81", "\(name) leaf", .forbidden(.leafKey),
            jws: { kit in
                let leaf = try kit.leaf(key: kind)
                return try kit.jws(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root], key: kit.pki.leafKey)
            })
    }
}
