import AppStoreSigning
import Cryptography

extension FuzzTarget {
    /// Parses a certificate twice. Both results must be equal and preserve the encoding, and no path may lead to a root
    /// that did not sign it.
    static func certificate(_ material: SignedMaterial) throws -> FuzzTarget {
        let store = try TrustStore(roots: [material.pki.root])
        let known = Set(material.pki.chain.map(\.der))
        let intermediate = material.pki.intermediate
        let tokens = ["\u{5}\u{0}", "\u{1}\u{1}", "\u{2}\u{1}\u{0}", "0\u{0}", "*", "\u{1F}"]
        return FuzzTarget(
            "certificate", seeds: material.pki.chain.map(\.der), tokens: tokens,
            maximumBytes: Certificate.recommendedMaximumByteCount
        ) { bytes throws(Violation) in
            guard bytes.count <= Certificate.recommendedMaximumByteCount,
                let certificate = try? Certificate(der: bytes)
            else { return }
            let facts = facts(of: certificate)
            try hold(certificate.der == bytes, "another encoding")
            try hold(facts == self.facts(of: certificate), "read twice: \(facts)")
            guard let again = try? Certificate(der: certificate.der) else { throw Violation("refused the second time") }
            try hold(facts == self.facts(of: again), "parsed twice: \(facts)")
            for chain in [[certificate, intermediate], [certificate]] {
                guard case .success(let path) = store.validate(chain: chain) else { continue }
                try hold(known.contains(bytes), "a path from a changed certificate")
                try hold(path.certificates.first == certificate, "a path from another certificate")
            }
        }
    }

    private static func facts(of certificate: Certificate) -> String {
        let validity = certificate.validity
        let day = validity.map { "\($0.distance(to: .max)) \($0.distance(to: .min)) \($0.contains(0))" } ?? "-"
        let key = P256PublicKey(certificate: certificate)?.uncompressedPoint.description ?? "-"
        return """
            \(certificate.serialNumber) \(certificate.subject) \(certificate.issuer) \(certificate.version) \
            \(certificate.sha256Fingerprint) \(String(describing: validity)) \(day) \(certificate.signatureAlgorithm) \
            \(certificate.publicKeyKind) \(key) \(certificate.isCertificateAuthority) \
            \(certificate.maySignCertificates) \(certificate.maySignData) \(certificate.hasUsableExtensions) \
            \(certificate.constrainsPath) \(certificate.ocspURL ?? "-") \
            \(certificate.extensionCount(markers.leaf)) \(certificate.extensionCount(markers.intermediate))
            """
    }

    private static let markers = (leaf: OID("1.2.840.113635.100.6.11.1"), intermediate: OID("1.2.840.113635.100.6.2.1"))

    /// Evaluates an OCSP response. Only the signed response, or one with the same content, is accepted.
    static func ocspResponse(_ material: SignedMaterial) throws -> FuzzTarget {
        let now = SignedMaterial.now / 1000
        let request = try OCSPRequest(subject: material.pki.intermediate, issuer: material.pki.root)
        let authentic = try OCSPMaterial(pki: material.pki, now: now)
        return FuzzTarget("ocsp-response", seeds: authentic.answers, maximumBytes: 4096) { bytes throws(Violation) in
            for request in [request, authentic.request] {
                let answer = request.evaluate(response: bytes, at: now)
                try hold(answer == request.evaluate(response: bytes, at: now), "judged twice: \(answer)")
                try hold(answer != .nothingNew(.internalFailure), "an internal failure")
                guard case .nothingNew = answer else {
                    try hold(authentic.believable.contains(answer), "believed: \(answer)")
                    continue
                }
            }
        }
    }
}

/// OCSP responses about a certificate, signed by its issuer.
private struct OCSPMaterial: Sendable {
    let request: OCSPRequest
    let answers: [[UInt8]]
    let believable: [OCSPAnswer]

    init(pki: TestCertificateAuthority, now: Int64) throws {
        // The keys of a reused authority are not stored, so this issuer is newly generated.
        let own = try TestCertificateAuthority(TestCertificateAuthority.Options(now: now))
        guard let keys = own.authorityKeys else { throw Violation("no key to sign the response") }
        let request = try OCSPRequest(subject: own.leaf, issuer: own.intermediate)
        let responder = OCSPResponder(issuer: own.intermediate, signer: own.intermediate, key: keys.intermediate)
        let statuses: [OCSPResponder.Status] = [.good, .revoked(at: now - 100, reason: 1), .unknown]
        answers =
            try statuses.map { status in try responder.answer(request: request.der, at: now) { _ in status } }
            + [OCSPResponder.unsuccessful(status: 3)]
        believable = answers.map { request.evaluate(response: $0, at: now) }
        self.request = request
    }
}
