internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography

/// Checks 7 to 9: rows H-59 to H-76 and H-84.
extension HostileNotification {
    package static let lookAlikes: [HostileNotification] = [
        HostileNotification(
            "H-59", "crit, own chain", .forbidden(.chainRoot),
            jws: { _ in
                let own = try SigningKit.imposter()
                return try own.jws(chain: own.pki.chain, key: own.pki.leafKey, extra: ",\"crit\":[\"x\"]")
            }),
        HostileNotification(
            "H-61", "jwk, own chain", .forbidden(.chainRoot),
            jws: { _ in
                let own = try SigningKit.imposter()
                return try own.jws(chain: own.pki.chain, key: own.pki.leafKey, extra: ",\"jwk\":{\"kty\":\"EC\"}")
            }),
        HostileNotification(
            "H-63", "a self-signed leaf three times", .forbidden(.chainRoot),
            jws: { kit in
                let key = try PrivateKey.generate(.p256)
                let leaf = try TestCertificateAuthority.leafBuilder(SigningKit.options).selfSigned(key: key)
                return try kit.jws(chain: [leaf, leaf, leaf], key: key)
            }),
        HostileNotification(
            "H-69", "a look-alike chain", .forbidden(.chainRoot),
            jws: { _ in
                let own = try SigningKit.imposter()
                return try own.jws(chain: own.pki.chain, key: own.pki.leafKey)
            }),
        HostileNotification(
            "H-69", "a look-alike chain with the real root's key identifier", .forbidden(.chainRoot),
            jws: { kit in
                let own = try SigningKit.imposter()
                let intermediate = try own.intermediate { $0.claimedAuthority = kit.pki.root }
                let leaf = try own.leaf(under: intermediate)
                return try own.jws(
                    chain: [leaf.certificate, intermediate.certificate, own.pki.root], key: leaf.key)
            }),
        HostileNotification(
            "H-70", "look-alikes and the real root", .forbidden(.chainRoot),
            jws: { kit in
                let own = try SigningKit.imposter()
                return try own.jws(chain: [own.pki.leaf, own.pki.intermediate, kit.pki.root], key: own.pki.leafKey)
            }),
        HostileNotification(
            "H-70", "look-alikes without key identifiers and the real root", .forbidden(.chainRoot),
            jws: { kit in
                let own = try SigningKit.imposter()
                let intermediate = try own.intermediate { $0.hasKeyIdentifiers = false }
                let leaf = try own.leaf(under: intermediate) { $0.hasKeyIdentifiers = false }
                return try own.jws(chain: [leaf.certificate, intermediate.certificate, kit.pki.root], key: leaf.key)
            }),
        HostileNotification(
            "H-71", "a look-alike leaf over the real intermediate", .forbidden(.chainSignature),
            jws: { kit in
                let own = try SigningKit.imposter()
                let leaf = try own.leaf { $0.claimedAuthority = kit.pki.intermediate }
                return try kit.jws(leaf: leaf)
            }),
        HostileNotification(
            "H-71", "a look-alike leaf with its own key identifier", .forbidden(.chainRoot),
            jws: { kit in
                let own = try SigningKit.imposter()
                return try kit.jws(leaf: own.leaf())
            }),
        HostileNotification(
            "H-84", "leaf and intermediate swapped", .forbidden(.chainRoot),
            jws: { kit in
                try kit.jws(chain: [kit.pki.intermediate, kit.pki.leaf, kit.pki.root], key: kit.pki.leafKey)
            }),
        HostileNotification(
            "H-84", "a path of four, all in order", .forbidden(.chainRoot),
            jws: { kit in
                let upper = try kit.intermediate {
                    $0.replace(.basicConstraints(isAuthority: true, pathLength: 1))
                }
                let lower = try kit.intermediate(under: upper)
                let leaf = try kit.leaf(under: lower)
                return try kit.jws(
                    chain: [leaf.certificate, lower.certificate, upper.certificate, kit.pki.root], key: leaf.key)
            }),
        HostileNotification(
            "H-84", "a leaf directly under the root", .forbidden(.chainRoot),
            jws: { kit in
                try kit.jws(leaf: kit.leaf(under: kit.root()))
            }),
    ]

    package static let markers: [HostileNotification] = [
        HostileNotification(
            "H-73", "a developer's certificate", .forbidden(.leafMarker),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.drop(TestCertificateAuthority.leafMarker) })
            }),
        HostileNotification(
            "H-73", "the leaf's marker twice", .forbidden(.leafMarker),
            jws: { kit in
                try kit.jws(leaf: kit.leaf { $0.extensions.append(.marker(TestCertificateAuthority.leafMarker)) })
            }),
        HostileNotification(
            "H-73", "the intermediate's marker on the leaf", .forbidden(.leafMarker),
            jws: { kit in
                try kit.jws(
                    leaf: kit.leaf {
                        $0.drop(TestCertificateAuthority.leafMarker)
                        $0.extensions.append(.marker(TestCertificateAuthority.intermediateMarker))
                    })
            }),
        HostileNotification(
            "H-74", "an intermediate without its marker", .forbidden(.intermediateMarker),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.drop(TestCertificateAuthority.intermediateMarker) })
            }),
        HostileNotification(
            "H-75", "an end entity signs a child", .forbidden(.notCertificateAuthority),
            jws: { kit in
                let developer = try kit.leaf { $0.drop(TestCertificateAuthority.leafMarker) }
                let child = try kit.leaf(under: developer)
                return try kit.jws(
                    chain: [child.certificate, developer.certificate, kit.pki.intermediate, kit.pki.root],
                    key: child.key)
            }),
        HostileNotification(
            "H-75", "an end entity under the root signs a child", .forbidden(.notCertificateAuthority),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate {
                        $0.replace(.basicConstraints(isAuthority: false))
                        $0.replace(.digitalSignature)
                    })
            }),
        HostileNotification(
            "H-76", "an intermediate without basicConstraints", .forbidden(.notCertificateAuthority),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.drop(basicConstraints) })
            }),
        HostileNotification(
            "H-76", "an authority that may not sign certificates", .forbidden(.notCertificateAuthority),
            jws: { kit in
                try kit.jws(intermediate: kit.intermediate { $0.replace(.digitalSignature) })
            }),
        HostileNotification(
            "H-76", "path length exceeded", .forbidden(.notCertificateAuthority),
            jws: { kit in
                // The subject differs from the issuer's, because self-issued certificates do not count toward the path
                // length.
                let lower = try kit.intermediate(under: kit.intermediate()) { $0.subject = [.init("CN", "Lower")] }
                let leaf = try kit.leaf(under: lower)
                return try kit.jws(
                    chain: [leaf.certificate, lower.certificate, kit.pki.intermediate, kit.pki.root], key: leaf.key)
            }),
    ]

    private static let basicConstraints = OID("2.5.29.19")
}
