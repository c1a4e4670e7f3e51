import AppStoreModel
import AppStoreSigning
import Cryptography

@testable import AppStoreVerification

/// A throw-away authority in the place of Apple's, and verifiers that trust it.
struct SigningKit: Sendable {
    /// Milliseconds since 1970.
    static let now: Int64 = 1_790_000_000_000
    static let bundleId = "com.example.app"
    static let appAppleId: Int64 = 1_234_567_890

    let pki: ThrowawayPKI

    private static let made = Result {
        try initializeCryptography()
        return SigningKit(pki: try ThrowawayPKI(options))
    }

    /// One for all tests: making keys takes milliseconds.
    static func shared() throws -> SigningKit { try made.get() }

    static var options: ThrowawayPKI.Options { ThrowawayPKI.Options(now: now / 1000) }

    static var app: AppIdentity {
        AppIdentity(
            bundleId: BundleId(bundleId), appAppleId: AppAppleId(appAppleId), environments: [.production])
    }

    func configuration(_ change: (inout VerifierConfiguration) -> Void = { _ in }) -> VerifierConfiguration {
        var configuration = VerifierConfiguration(roots: [pki.root.der], apps: [Self.app], revocation: .off)
        change(&configuration)
        return configuration
    }

    func verifier(_ change: (inout VerifierConfiguration) -> Void = { _ in }) throws -> NotificationVerifier {
        try NotificationVerifier(configuration(change))
    }

    /// A compact JWS over `payload` under this authority's chain.
    func sign(_ payload: String) throws -> String { try JWSSigner(pki).sign(payload) }

    /// As ``sign(_:)``, over any bytes.
    func signBytes(_ payload: [UInt8]) throws -> String {
        String(decoding: try JWSSigner(pki).sign(payload), as: UTF8.self)
    }

    /// As ``sign(_:)``, with another header text or key.
    func sign(_ payload: String, header: String? = nil, key: PrivateKey? = nil) throws -> String {
        try JWSSigner(header: header ?? JWSSigner.header(chain: pki.chain), key: key ?? pki.leafKey).sign(payload)
    }

    /// The compact JWS of a notification.
    func jws(_ draft: NotificationDraft = NotificationDraft()) throws -> String {
        try sign(draft.payload(signingNestedWith: sign))
    }

    /// The HTTP body of a notification.
    func body(_ draft: NotificationDraft = NotificationDraft()) throws -> [UInt8] { Self.body(try jws(draft)) }

    /// The HTTP body around a compact JWS.
    static func body(_ jws: String) -> [UInt8] { Array("{\"signedPayload\":\"\(jws)\"}".utf8) }

    /// The HTTP body of a good notification under another header or key.
    func body(header: String, key: PrivateKey? = nil) throws -> [UInt8] {
        Self.body(try sign(try NotificationDraft.test.payload(signingNestedWith: sign), header: header, key: key))
    }
}
