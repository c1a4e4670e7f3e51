internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
import Primitives

/// Check 6: rows H-64 to H-68, H-83 and H-85 to H-87.
extension HostileNotification {
    package static let certificateLists: [HostileNotification] = [
        texts("H-64", "no x5c", .badRequest(.certificateListForm)) { _ in "{\"alg\":\"ES256\"}" },
        texts("H-64", "none", .badRequest(.certificateListForm)) { _ in "{\"alg\":\"ES256\",\"x5c\":[]}" },
        texts("H-64", "one", .badRequest(.certificateListForm)) { JWSSigner.header(x5c: [$0[0]]) },
        texts("H-64", "10,000", .badRequest(.certificateListForm)) { _ in
            JWSSigner.header(x5c: [String](repeating: "AAAA", count: 10_000))
        },
        texts("H-65", "a text", .badRequest(.certificateListForm)) { "{\"alg\":\"ES256\",\"x5c\":\"\($0[0])\"}" },
        texts("H-65", "null", .badRequest(.certificateListForm)) { _ in "{\"alg\":\"ES256\",\"x5c\":null}" },
        texts("H-65", "a number among them", .badRequest(.certificateListForm)) {
            "{\"alg\":\"ES256\",\"x5c\":[\"\($0[0])\",5,\"\($0[2])\"]}"
        },
        texts("H-66", "random bytes", .badRequest(.certificateEncoding)) { _ in
            JWSSigner.header(x5c: ["q83vASNF", "q83vASNF", "q83vASNF"])
        },
        texts("H-66", "random bytes as the second", .badRequest(.certificateEncoding)) {
            JWSSigner.header(x5c: [$0[0], "q83vASNF", $0[2]])
        },
        texts("H-66", "no bytes", .badRequest(.certificateListForm)) { JWSSigner.header(x5c: ["", $0[1], $0[2]]) },
        texts("H-67", "PEM", .badRequest(.certificateListForm)) {
            JWSSigner.header(x5c: ["-----BEGIN CERTIFICATE-----\($0[0])", $0[1], $0[2]])
        },
        texts("H-67", "a line break", .badRequest(.certificateListForm)) {
            JWSSigner.header(x5c: ["\\n" + $0[0], $0[1], $0[2]])
        },
        texts("H-67", "base64url", .badRequest(.certificateListForm)) { texts in
            JWSSigner.header(x5c: [
                String(texts[0].map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }).replacingLast("=", with: ""), texts[1],
                texts[2],
            ])
        },
        HostileNotification("H-68", "two trailing bytes", .badRequest(.certificateEncoding)) { kit in
            try kit.body(header: header(of: [kit.pki.leaf.der + [0, 0], kit.pki.intermediate.der, kit.pki.root.der]))
        },
        HostileNotification("H-68", "two trailing bytes after the second", .badRequest(.certificateEncoding)) { kit in
            try kit.body(header: header(of: [kit.pki.leaf.der, kit.pki.intermediate.der + [0, 0], kit.pki.root.der]))
        },
        HostileNotification("H-83", "a signed certificate above 3,072 bytes", .badRequest(.certificateListForm)) {
            kit in
            try SigningKit.body(kit.jws(leaf: kit.leaf { $0.extensions.append(bulk(3_000)) }))
        },
        HostileNotification("H-83", "a certificate just below 3,072 bytes", .accepted) { kit in
            try SigningKit.body(
                kit.jws(leaf: kit.leaf { $0.extensions.append(bulk(3_000 - kit.pki.leaf.der.count)) }))
        },
        texts("H-87", "60 intermediates", .badRequest(.certificateListForm)) {
            JWSSigner.header(x5c: [$0[0]] + [String](repeating: $0[1], count: 60))
        },
        texts("H-85", "the third is not base64", .nonconforming(.profileChain)) {
            JWSSigner.header(x5c: [$0[0], $0[1], "!!!"])
        },
        texts("H-85", "the third is not DER", .nonconforming(.profileChain)) {
            JWSSigner.header(x5c: [$0[0], $0[1], "q83v"])
        },
        texts("H-86", "two", .nonconforming(.profileChain)) { JWSSigner.header(x5c: [$0[0], $0[1]]) },
        texts("H-86", "four", .nonconforming(.profileChain)) { JWSSigner.header(x5c: $0 + [$0[0]]) },
        HostileNotification("H-86", "the intermediate comes last", .nonconforming(.profileChain)) { kit in
            let other = try kit.leaf()
            return try kit.body(
                header: header(of: [kit.pki.leaf.der, other.certificate.der, kit.pki.intermediate.der]))
        },
        HostileNotification("H-85", "the third is another certificate", .accepted) { kit in
            let other = try kit.leaf()
            return try kit.body(
                header: header(of: [kit.pki.leaf.der, kit.pki.intermediate.der, other.certificate.der]))
        },
    ]

    private static func texts(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ header: @escaping @Sendable ([String]) -> String
    ) -> HostileNotification {
        HostileNotification(
            id, name, expected,
            body: { kit in
                try kit.body(
                    header: header(kit.pki.chain.map { String(decoding: Base64.encode($0.der), as: UTF8.self) }))
            })
    }

    private static func header(of encodings: [[UInt8]]) -> String {
        JWSSigner.header(x5c: encodings.map { String(decoding: Base64.encode($0), as: UTF8.self) })
    }

    private static func bulk(_ count: Int) -> CertificateExtension {
        CertificateExtension(OID("1.2.3.5"), der: DER.value(0x04, [UInt8](repeating: 0, count: max(0, count - 40))))
    }
}

extension String {
    fileprivate func replacingLast(_ letter: Character, with text: String) -> String {
        last == letter ? dropLast() + text : self
    }
}
