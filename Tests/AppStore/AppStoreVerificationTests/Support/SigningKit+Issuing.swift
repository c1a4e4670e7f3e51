import AppStoreSigning
import Cryptography

/// Certificates that deviate, issued by this authority or by one made for the occasion.
extension SigningKit {
    struct MissingKeys: Error {}

    /// A certificate with its key.
    struct Holder: Sendable {
        let certificate: Certificate
        let key: PrivateKey
    }

    func root() throws -> Holder { Holder(certificate: pki.root, key: try keys().root) }

    func intermediate() throws -> Holder { Holder(certificate: pki.intermediate, key: try keys().intermediate) }

    /// An intermediate under `issuer`, this authority's root unless given.
    func intermediate(
        key kind: PrivateKey.Kind = .p384, under issuer: Holder? = nil,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Holder {
        let issuer = try issuer ?? root()
        var builder = ThrowawayPKI.intermediateBuilder(Self.options)
        change(&builder)
        let key = try PrivateKey.generate(kind)
        return Holder(
            certificate: try builder.issued(for: key, by: issuer.certificate, authorityKey: issuer.key), key: key)
    }

    /// A leaf under `issuer`, this authority's intermediate unless given.
    func leaf(
        key kind: PrivateKey.Kind = .p256, under issuer: Holder? = nil,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Holder {
        let issuer = try issuer ?? intermediate()
        var builder = ThrowawayPKI.leafBuilder(Self.options)
        change(&builder)
        let key = try PrivateKey.generate(kind)
        return Holder(
            certificate: try builder.issued(for: key, by: issuer.certificate, authorityKey: issuer.key), key: key)
    }

    /// The JWS of a good notification, signed by `key` under a chain.
    func jws(chain: [Certificate], key: PrivateKey, extra: String = "") throws -> String {
        try sign(
            try NotificationDraft.test.payload(signingNestedWith: sign),
            header: JWSSigner.header(chain: chain, extra: extra), key: key)
    }

    /// As ``jws(chain:key:extra:)`` for a leaf under this authority's intermediate.
    func jws(leaf: Holder) throws -> String {
        try jws(chain: [leaf.certificate, pki.intermediate, pki.root], key: leaf.key)
    }

    /// As ``jws(chain:key:extra:)`` for a new leaf under an intermediate of this authority's root.
    func jws(intermediate: Holder) throws -> String {
        let leaf = try leaf(under: intermediate)
        return try jws(chain: [leaf.certificate, intermediate.certificate, pki.root], key: leaf.key)
    }

    private func keys() throws -> ThrowawayPKI.AuthorityKeys {
        guard let keys = pki.authorityKeys else { throw MissingKeys() }
        return keys
    }
}

extension CertificateBuilder {
    /// Removes every extension of that kind.
    mutating func drop(_ oid: OID) {
        extensions.removeAll { $0.oid == oid }
    }

    mutating func replace(_ replacement: CertificateExtension) {
        drop(replacement.oid)
        extensions.append(replacement)
    }
}
