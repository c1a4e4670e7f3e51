import AppStoreModel
import AppStoreSigning
import Cryptography
import JSON
import TestSupport

// Mutations of the header's certificates and members.
extension NotificationMutator {
    /// Edits one certificate as DER: changes a byte or a length, or duplicates or removes a part.
    func withEditedCertificate(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        var parts = parts
        var certificates = parts.certificates
        guard !certificates.isEmpty else { return parts.body }
        let index = random.below(certificates.count)
        var der = certificates[index]
        let position = random.below(der.count)
        switch random.below(7) {
        case 0: der[position] ^= 1 << UInt8(random.below(8))
        case 1: der[position] = UInt8(random.below(256))
        case 2: editLength(in: &der, &random)
        case 3: der.append(contentsOf: der.suffix(random.below(16)))
        case 4: der.removeLast(random.below(der.count))
        case 5: der.removeSubrange(position..<min(der.count, position + 1 + random.below(4)))
        default: copyPart(of: random.pick(certificates) ?? der, into: &der, &random)
        }
        certificates[index] = der
        parts.certificates = certificates
        return parts.body
    }

    /// Changes a byte that follows a tag, usually a length.
    private func editLength(in der: inout [UInt8], _ random: inout SeededGenerator) {
        let tags: Set<UInt8> = [0x30, 0x31, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x13, 0x17, 0xA0, 0xA3]
        guard let tag = random.pick(der.indices.dropLast().filter { tags.contains(der[$0]) }) else { return }
        let lengths: [UInt8] = [0x00, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFF, der[tag + 1] &+ 1, der[tag + 1] &- 1]
        der[tag + 1] = random.pick(lengths) ?? 0
    }

    private func copyPart(of other: [UInt8], into der: inout [UInt8], _ random: inout SeededGenerator) {
        let start = random.below(other.count)
        let part = other[start..<min(other.count, start + 1 + random.below(40))]
        let position = random.below(der.count)
        der.replaceSubrange(position..<min(der.count, position + part.count), with: part)
    }

    /// Changes the order, number or composition of the certificates.
    func withOtherChain(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        var parts = parts
        let own = parts.certificates
        let other = random.pick(originals).flatMap { JWSParts(body: $0)?.certificates } ?? own
        let pool = own + other + untrusted.chain.map(\.der)
        switch random.below(6) {
        case 0: parts.certificates = own.shuffled(using: &random)
        case 1: parts.certificates = Array(own.prefix(random.below(4)))
        case 2: parts.certificates = own + [random.pick(pool) ?? []]
        case 3: parts.certificates = (0..<random.below(6)).compactMap { _ in random.pick(pool) }
        case 4:
            var certificates = own
            if !certificates.isEmpty { certificates[random.below(certificates.count)] = random.pick(pool) ?? [] }
            parts.certificates = certificates
        default: parts.certificates = other
        }
        return parts.body
    }

    /// Changes, adds, removes, duplicates or respells members of the header.
    func withOtherHeader(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        var parts = parts
        let algorithms: [JSONValue] = [
            "none", "None", "HS256", "ES384", "RS256", "es256", "ES256\u{0}", 256, nil, ["ES256"],
        ]
        let members: [(String, JSONValue)] = [
            ("crit", ["exp"]), ("b64", false), ("jku", "https://example.com/keys"),
            ("x5u", "https://example.com/chain"),
            ("jwk", ["kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"]), ("kid", "../../key"), ("typ", "JWT"),
            ("x5c", "text"), ("x5c", [1]), ("x5c", []), ("alg", "ES256"),
        ]
        switch random.below(6) {
        case 0:
            parts.setHeader("alg", random.pick(algorithms) ?? nil)
            if random.oneIn(3) { parts.signature = [] }
        case 1, 2:
            if let member = random.pick(members) { parts.setHeader(member.0, member.1) }
        case 3: parts.setHeader(random.oneIn(2) ? "alg" : "x5c", nil)
        case 4: parts.header = Array(#"{"alg":"ES256","#.utf8) + parts.header.dropFirst()
        default: parts.header.insert(0x20, at: random.oneIn(2) ? 0 : parts.header.count)
        }
        return parts.body
    }
}
