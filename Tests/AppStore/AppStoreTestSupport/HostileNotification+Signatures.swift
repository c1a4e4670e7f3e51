internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
import Primitives

/// Check 10: rows H-72 and H-91 to H-98.
extension HostileNotification {
    package static let signatures: [HostileNotification] = [
        HostileNotification(
            "H-72", "the real chain, another key", .forbidden(.signature),
            jws: { kit in
                try kit.jws(chain: kit.pki.chain, key: .generate(.p256))
            }),
        changed("H-91", "all zero", .forbidden(.signature)) { $0 = [UInt8](repeating: 0, count: 64) },
        changed("H-92", "r = 0", .forbidden(.signature)) { $0.replaceSubrange(0..<32, with: zero) },
        changed("H-92", "s = 0", .forbidden(.signature)) { $0.replaceSubrange(32..<64, with: zero) },
        changed("H-92", "r = n", .forbidden(.signature)) { $0.replaceSubrange(0..<32, with: order) },
        changed("H-92", "s = n", .forbidden(.signature)) { $0.replaceSubrange(32..<64, with: order) },
        changed("H-92", "r > n", .forbidden(.signature)) { $0.replaceSubrange(0..<32, with: ones) },
        changed("H-92", "s > n", .forbidden(.signature)) { $0.replaceSubrange(32..<64, with: ones) },
        changed("H-93", "DER", .badRequest(.signatureLength)) {
            let r = DER.value(0x02, [0] + $0[0..<32])
            let s = DER.value(0x02, [0] + $0[32..<64])
            $0 = DER.sequence(r, s)
        },
        changed("H-94", "0 bytes", .badRequest(.signatureLength)) { $0 = [] },
        changed("H-94", "63 bytes", .badRequest(.signatureLength)) { $0.removeLast() },
        changed("H-94", "65 bytes", .badRequest(.signatureLength)) { $0.append(0) },
        changed("H-54", "100,000 bytes", .badRequest(.signatureLength)) { $0 = [UInt8](repeating: 7, count: 100_000) },
        changed("H-96", "the twin n - s", .accepted, negateS),
        HostileNotification(
            "H-97", "another's signature", .forbidden(.signature),
            jws: { kit in
                let one = parts(try kit.jws(.test))
                let other = parts(try kit.jws())
                return [one[0], one[1], other[2]].joined(separator: ".")
            }),
        HostileNotification(
            "H-98", "the payload changed", .forbidden(.signature),
            jws: { kit in
                let one = parts(try kit.jws(.test))
                let other = parts(try kit.jws(.with { $0.outer["notificationType"] = "\"REFUND\"" }))
                return [one[0], other[1], one[2]].joined(separator: ".")
            }),
    ]

    private static func parts(_ jws: String) -> [String] { jws.split(separator: ".").map(String.init) }

    private static let zero = [UInt8](repeating: 0, count: 32)

    private static let ones = [UInt8](repeating: 0xFF, count: 32)

    private static func changed(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> HostileNotification {
        HostileNotification(id, name, expected, jws: { try withSignature(try $0.jws(.test), change) })
    }

    /// Replaces s with n - s, which gives the complementary signature.
    package static func negateS(_ signature: inout [UInt8]) {
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            signature[32 + index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
    }

    /// Returns the same JWS with a modified signature.
    package static func withSignature(_ jws: String, _ change: (inout [UInt8]) -> Void) throws -> String {
        let dot = jws.lastIndex(of: ".") ?? jws.startIndex
        var signature = try Base64URL.decode(Array(jws[dot...].dropFirst().utf8))
        change(&signature)
        return jws[...dot] + String(decoding: Base64URL.encode(signature), as: UTF8.self)
    }

    /// The order of P-256's group.
    private static let order =
        HexText.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? []
}
