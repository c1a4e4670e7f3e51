internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography

/// Extensions and keys of certificates: rows H-80 to H-82 and H-88.
extension HostileNotification {
    package static let extensions: [HostileNotification] = [
        HostileNotification(
            "H-80", "unknown and critical in the leaf", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.extensions.append(.marker(OID("1.2.3.4"), isCritical: true)) })
            }),
        HostileNotification(
            "H-80", "unknown and not critical in the leaf", .accepted,
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.extensions.append(.marker(OID("1.2.3.4"))) })
            }),
        HostileNotification(
            "H-80", "unknown and critical in the intermediate", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate { $0.extensions.append(.marker(OID("1.2.3.4"), isCritical: true)) })
            }),
        HostileNotification(
            "H-80", "a critical marker", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(
                    leaf: kit.leaf { $0.replace(.marker(TestCertificateAuthority.leafMarker, isCritical: true)) })
            }),
        HostileNotification(
            "H-82", "name constraints, critical", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.extensions.append(nameConstraints(isCritical: true)) })
            }),
        HostileNotification(
            "H-82", "name constraints, not critical", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.extensions.append(nameConstraints(isCritical: false)) })
            }),
        HostileNotification(
            "H-82", "policy constraints", .forbidden(.certificateExtension),
            jws: { kit in
                let constraints = CertificateExtension(
                    OID("2.5.29.36"), isCritical: true, der: [0x30, 0x03, 0x80, 0x01, 0x00])
                return try kit.jws(intermediate: kit.intermediate { $0.extensions.append(constraints) })
            }),
        HostileNotification(
            "H-82", "a leaf of version 1", .forbidden(.certificateExtension),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.version = 1 })
            }),
    ]

    // Permits only dNSName a.b.com.
    private static func nameConstraints(isCritical: Bool) -> CertificateExtension {
        let name = DER.value(0x82, Array("a.b.com".utf8))
        return CertificateExtension(
            OID("2.5.29.30"), isCritical: isCritical, der: DER.sequence(DER.value(0xA0, DER.sequence(name))))
    }

    package static let keys: [HostileNotification] = [
        leafKey("RSA", .rsa(bits: 3072)), leafKey("P-384", .p384), leafKey("Ed25519", .ed25519),
        leafKey("secp256k1", .secp256k1), leafKey("P-256 with explicit parameters", .p256WithExplicitParameters),
        leafKey("P-256 with a compressed point", .p256WithCompressedPoint),
        HostileNotification(
            "H-81", "a leaf that is an authority", .forbidden(.leafKey),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.replace(.basicConstraints(isAuthority: true)) })
            }),
        HostileNotification(
            "H-81", "a leaf for key agreement only", .forbidden(.leafKey),
            jws: { kit in
                let agreement = CertificateExtension(keyUsage, isCritical: true, der: [0x03, 0x02, 0x03, 0x08])
                return try kit.jws(leaf: kit.leaf { $0.replace(agreement) })
            }),
        HostileNotification(
            "H-88", "an RSA intermediate", .forbidden(.chainSignature),
            jws: { kit in
                let intermediate = try kit.intermediate(key: .rsa(bits: 3072))
                let leaf = try kit.leaf(under: intermediate) { $0.digest = .sha256 }
                return try kit.jws(chain: [leaf.certificate, intermediate.certificate, kit.pki.root], key: leaf.key)
            }),
        HostileNotification(
            "H-88", "a P-521 intermediate", .forbidden(.chainSignature),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate(key: .p521))
            }),
        HostileNotification(
            "H-88", "SHA-1", .forbidden(.chainSignature),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.digest = .sha1 })
            }),
        HostileNotification(
            "H-88", "SHA-224", .forbidden(.chainSignature),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.digest = .sha224 })
            }),
        HostileNotification(
            "H-88", "SHA-256", .accepted, jws: { kit in try kit.jws(leaf: kit.leaf { $0.digest = .sha256 }) }),
        HostileNotification(
            "H-88", "SHA-512", .accepted, jws: { kit in try kit.jws(leaf: kit.leaf { $0.digest = .sha512 }) }),
        HostileNotification(
            "H-88", "a P-256 intermediate", .accepted,
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate(key: .p256))
            }),
    ]

    private static func leafKey(_ name: String, _ kind: PrivateKey.Kind) -> HostileNotification {
        // ES256 cannot be signed with this key, so another one signs. The leaf is rejected before its signature is
        // checked.
        HostileNotification(
            "H-81", "\(name) leaf", .forbidden(.leafKey),
            jws: { kit in
                let leaf = try kit.leaf(key: kind)
                return try kit.jws(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root], key: kit.pki.leafKey)
            })
    }

    private static let keyUsage = OID("2.5.29.15")
}
