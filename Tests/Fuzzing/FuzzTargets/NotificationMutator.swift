import AppStoreModel
import AppStoreSigning
import Cryptography
import JSON
import TestSupport

/// Creates hostile bodies from authentic ones. A seed and an index determine the mutant, except for untrusted
/// certificates and signatures, which are new in every run.
package struct NotificationMutator: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case bytes, bits, splice, envelope, base64, certificates, chain, header, payload, signature, signer, encoding
    }

    let originals: [[UInt8]]
    /// An untrusted authority with the same names and Apple extensions as the trusted one.
    let untrusted: TestCertificateAuthority
    private let seed: UInt64

    package init(originals: [[UInt8]], seed: UInt64) throws {
        self.originals = originals
        self.seed = seed
        untrusted = try TestCertificateAuthority(TestCertificateAuthority.Options(now: SignedMaterial.now / 1000))
    }

    /// Returns the mutant with this index and its kind.
    package func mutant(_ index: Int) -> (kind: Kind, body: [UInt8]) {
        var random = SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15)
        let kind = Kind.allCases[index % Kind.allCases.count]
        let body = random.pick(originals) ?? []
        if kind == .bytes { return (kind, changedBytes(body, &random)) }
        guard kind != .bits, let parts = JWSParts(body: body) else { return (kind, flippedBits(body, &random)) }
        switch kind {
        case .bytes, .bits: return (kind, body)
        case .splice: return (kind, spliced(parts, &random))
        case .envelope: return (kind, envelope(parts.jws, &random))
        case .base64: return (kind, respelled(parts, &random))
        case .certificates: return (kind, withEditedCertificate(parts, &random))
        case .chain: return (kind, withOtherChain(parts, &random))
        case .header: return (kind, withOtherHeader(parts, &random))
        case .payload: return (kind, withOtherPayload(parts, &random))
        case .signature: return (kind, withOtherSignature(parts, &random))
        case .signer: return (kind, signedByUntrustedKey(parts, &random))
        case .encoding: return (kind, encodedOtherwise(body, parts, &random))
        }
    }

    // MARK: Bytes

    private func changedBytes(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var mutator = ByteMutator(seed: random.next(), tokens: [".", "\"", "=", "A", "\\u0041", "}"])
        return mutator.mutant(of: body, others: originals)
    }

    private func flippedBits(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var body = body
        for _ in 0...random.below(4) { body[random.below(body.count)] ^= 1 << UInt8(random.below(8)) }
        return body
    }

    // MARK: Segments and encoding

    /// Combines segments of several notifications and of their nested texts.
    private func spliced(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        let other = random.pick(originals).flatMap { JWSParts(body: $0) } ?? parts
        let sources = [parts, other] + parts.nested + other.nested
        let chosen = (0..<3).map { place in (random.pick(sources) ?? parts).segments[place] }
        if random.oneIn(8) { return JWSParts.body((random.pick(parts.nested) ?? parts).jws) }
        return JWSParts.body(chosen.joined(separator: "."))
    }

    /// Replaces the signature with an invalid one, edge numbers, another spelling, or its complement.
    private func withOtherSignature(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        var parts = parts
        let (r, s) = (Array(parts.signature.prefix(32)), Array(parts.signature.dropFirst(32)))
        let edge = random.pick(SignatureCases.edgeNumbers) ?? s
        switch random.below(9) {
        case 0, 1: parts.signature = ReferenceECDSA.twin(of: parts.signature)
        case 2: parts.signature = edge + s
        case 3: parts.signature = r + edge
        case 4: parts.signature = edge + (random.pick(SignatureCases.edgeNumbers) ?? edge)
        case 5: parts.signature = s + r
        case 6: parts.signature = [0x30, 68, 0x02, 32] + r + [0x02, 32] + s
        case 7: parts.signature = Array((parts.signature + parts.signature).prefix(random.below(129)))
        default: parts.signature[random.below(64)] ^= 1 << UInt8(random.below(8))
        }
        return parts.body
    }

    /// Replaces the payload and keeps the signature.
    private func withOtherPayload(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        var parts = parts
        parts.payload = otherPayload(parts, &random)
        return parts.body
    }

    private func otherPayload(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        let members: [(String, JSONValue)] = [
            ("notificationType", "REFUND"), ("subtype", "VOLUNTARY"), ("signedDate", .integer(SignedMaterial.now)),
            ("notificationUUID", "0f3a1c52-6d5e-4b7a-9a53-0d9a0a2b7c11"), ("version", "2.1"), ("added", true),
        ]
        guard var object = (try? JSONValue(json: parts.payload))?.object, let member = random.pick(members) else {
            return []
        }
        if random.oneIn(4) {
            // Another text with the same value.
            return JSONValue.object(object).json + [0x20]
        }
        object[member.0] = random.oneIn(5) ? nil : member.1
        return JSONValue.object(object).json
    }

    /// Signs a payload, changed or not, with an untrusted key, under its own certificate chain or under the authentic
    /// header.
    private func signedByUntrustedKey(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        let payload = random.oneIn(2) ? parts.payload : otherPayload(parts, &random)
        let authentic = String(decoding: parts.header, as: UTF8.self)
        let mixed = [untrusted.leaf.der] + parts.certificates.dropFirst()
        let headers = [
            authentic, JWSSigner.header(chain: untrusted.chain), JWSSigner.header(x5c: mixed.map(JWSParts.base64)),
            JWSSigner.header(x5c: (parts.certificates.prefix(2) + [untrusted.root.der]).map(JWSParts.base64)),
        ]
        let signer = JWSSigner(header: random.pick(headers) ?? authentic, key: untrusted.leafKey)
        return JWSParts.body((try? signer.sign(String(decoding: payload, as: UTF8.self))) ?? "")
    }
}
