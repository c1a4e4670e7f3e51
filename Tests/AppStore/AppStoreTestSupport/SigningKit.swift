internal import AppStoreModel
package import AppStoreSigning
package import AppStoreVerification
package import Cryptography

/// A test certificate authority in place of Apple's, and verifiers that trust it.
package struct SigningKit: Sendable {
    /// The tests' current time: 2027-01-15T08:00:00Z in milliseconds since 1970.
    package static let now: Int64 = 1_800_000_000_000
    package static let bundleId = "com.example.app"
    package static let appAppleId: Int64 = 1_234_567_890

    package let pki: TestCertificateAuthority

    private static let made = Result {
        try initializeCryptography()
        return SigningKit(pki: try TestCertificateAuthority(options))
    }

    private static let imposterMade = Result { SigningKit(pki: try TestCertificateAuthority(options)) }

    package init(pki: TestCertificateAuthority) { self.pki = pki }

    /// Shared by all tests, because key generation takes milliseconds.
    package static func shared() throws -> SigningKit { try made.get() }

    /// Returns a complete untrusted authority with the same names.
    package static func imposter() throws -> SigningKit {
        try initializeCryptography()
        return try imposterMade.get()
    }

    package static var options: TestCertificateAuthority.Options { TestCertificateAuthority.Options(now: now / 1000) }

    package static var app: AppIdentity {
        AppIdentity(
            bundleId: BundleId(bundleId), appAppleId: AppAppleId(appAppleId), environments: [.production])
    }

    package func configuration(_ change: (inout VerifierConfiguration) -> Void = { _ in }) -> VerifierConfiguration {
        var configuration = VerifierConfiguration(roots: [pki.root.der], apps: [Self.app], revocation: .off)
        change(&configuration)
        return configuration
    }

    package func verifier(_ change: (inout VerifierConfiguration) -> Void = { _ in }) throws -> NotificationVerifier {
        try NotificationVerifier(configuration(change))
    }

    /// Returns a compact JWS with `payload`, signed under this authority's chain.
    package func sign(_ payload: String) throws -> String { try JWSSigner(pki).sign(payload) }

    /// Like ``sign(_:)``, but for arbitrary bytes.
    package func signBytes(_ payload: [UInt8]) throws -> String {
        String(decoding: try JWSSigner(pki).sign(payload), as: UTF8.self)
    }

    /// Like ``sign(_:)``, but with another header text or key.
    package func sign(_ payload: String, header: String? = nil, key: PrivateKey? = nil) throws -> String {
        try JWSSigner(header: header ?? JWSSigner.header(chain: pki.chain), key: key ?? pki.leafKey).sign(payload)
    }

    /// Returns the compact JWS of a notification.
    package func jws(_ draft: NotificationDraft = NotificationDraft()) throws -> String {
        try sign(draft.payload(signingNestedWith: sign))
    }

    /// Returns the HTTP body of a notification.
    package func body(_ draft: NotificationDraft = NotificationDraft()) throws -> [UInt8] { Self.body(try jws(draft)) }

    /// Returns the HTTP body that contains a compact JWS.
    package static func body(_ jws: String) -> [UInt8] { Array("{\"signedPayload\":\"\(jws)\"}".utf8) }

    /// Returns the HTTP body of a valid notification with another header or key.
    package func body(header: String, key: PrivateKey? = nil) throws -> [UInt8] {
        Self.body(try sign(try NotificationDraft.test.payload(signingNestedWith: sign), header: header, key: key))
    }
}
