internal import AppStoreSigning
package import Cryptography

/// Nonstandard certificates, issued by this authority or a new one.
extension SigningKit {
    private struct MissingKeys: Error {}

    /// A certificate and its key.
    package struct Holder: Sendable {
        package let certificate: Certificate
        package let key: PrivateKey

        package init(certificate: Certificate, key: PrivateKey) {
            self.certificate = certificate
            self.key = key
        }
    }

    package func root() throws -> Holder { Holder(certificate: pki.root, key: try keys().root) }

    package func intermediate() throws -> Holder { Holder(certificate: pki.intermediate, key: try keys().intermediate) }

    /// Returns an intermediate under `issuer`, by default this authority's root.
    package func intermediate(
        key kind: PrivateKey.Kind = .p384, under issuer: Holder? = nil,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Holder {
        let issuer = try issuer ?? root()
        var builder = TestCertificateAuthority.intermediateBuilder(Self.options)
        change(&builder)
        let key = try PrivateKey.generate(kind)
        return Holder(
            certificate: try builder.issued(for: key, by: issuer.certificate, authorityKey: issuer.key), key: key)
    }

    /// Returns a leaf under `issuer`, by default this authority's intermediate.
    package func leaf(
        key kind: PrivateKey.Kind = .p256, under issuer: Holder? = nil,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Holder {
        let issuer = try issuer ?? intermediate()
        var builder = TestCertificateAuthority.leafBuilder(Self.options)
        change(&builder)
        let key = try PrivateKey.generate(kind)
        return Holder(
            certificate: try builder.issued(for: key, by: issuer.certificate, authorityKey: issuer.key), key: key)
    }

    /// Returns the JWS of a valid notification, signed with `key` under a chain.
    package func jws(chain: [Certificate], key: PrivateKey, extra: String = "") throws -> String {
        try sign(
            try NotificationDraft.test.payload(signingNestedWith: sign),
            header: JWSSigner.header(chain: chain, extra: extra), key: key)
    }

    /// Like ``jws(chain:key:extra:)``, for a leaf under this authority's intermediate.
    package func jws(leaf: Holder) throws -> String {
        try jws(chain: [leaf.certificate, pki.intermediate, pki.root], key: leaf.key)
    }

    /// Like ``jws(chain:key:extra:)``, for a new leaf under an intermediate of this authority's root.
    package func jws(intermediate: Holder) throws -> String {
        let leaf = try leaf(under: intermediate)
        return try jws(chain: [leaf.certificate, intermediate.certificate, pki.root], key: leaf.key)
    }

    private func keys() throws -> TestCertificateAuthority.AuthorityKeys {
        guard let keys = pki.authorityKeys else { throw MissingKeys() }
        return keys
    }
}

extension CertificateBuilder {
    /// Removes every extension with this OID.
    package mutating func drop(_ oid: OID) {
        extensions.removeAll { $0.oid == oid }
    }

    package mutating func replace(_ replacement: CertificateExtension) {
        drop(replacement.oid)
        extensions.append(replacement)
    }
}
