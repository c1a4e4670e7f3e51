import AppStoreModel
import AppStoreSigning
import Cryptography
import JSON
import Primitives
import TestSupport

@testable import Entitlements

/// A test App Store that signs for `com.example`, and a service's settings to trust it.
struct SigningAppStore {
    let pki: TestCertificateAuthority
    /// A similar authority whose leaf expired ten days ago.
    private let former: TestCertificateAuthority
    private let directory: TemporaryDirectory

    init() throws {
        try initializeCryptography()
        let now = Clocks.system.wallMilliseconds() / 1000
        pki = try TestCertificateAuthority(.init(now: now))
        var options = TestCertificateAuthority.Options(now: now)
        options.adjustLeaf = {
            $0.validity = CertificateValidity(notBefore: now - 700 * 86_400, notAfter: now - 10 * 86_400)
        }
        former = try TestCertificateAuthority(options)
        directory = try TemporaryDirectory()
        try pki.save(to: directory.file("pki"))
        try former.save(to: directory.file("former"))
    }

    /// The value of `root.certificates`.
    var roots: String { directory.file("pki/root.pem") + "," + directory.file("former/root.pem") }

    var settings: [String] {
        ["--apps", "com.example:1", "--root.certificates", roots, "--revocation", "off"]
    }

    /// Returns a compact JWS.
    ///
    /// - Parameter isExpired: whether to sign under the expired certificate.
    func sign(_ object: JSONObject?, isExpired: Bool = false) throws -> JSONValue {
        let payload = JSONValue.object(object ?? JSONObject()).json
        return .string(String(decoding: try JWSSigner(isExpired ? former : pki).sign(payload), as: UTF8.self))
    }

    /// Returns an upload of an app.
    func upload(_ draft: Draft, isExpired: Bool = false) throws -> JSONObject {
        var body: JSONObject = ["signedTransactionInfo": try sign(draft.transaction, isExpired: isExpired)]
        if let renewalInfo = draft.renewalInfo {
            body["signedRenewalInfo"] = try sign(renewalInfo, isExpired: isExpired)
        }
        return body
    }

    /// Returns a month that was just bought and has no notification yet.
    static func bought(
        _ purchase: String = "1000", environment: AppStoreEnvironment = .production, token: String? = account,
        signed: Int64 = Clocks.system.wallMilliseconds()
    ) -> Draft {
        Draft(
            "SUBSCRIBED", "INITIAL_BUY", signed: signed, purchase: purchase, environment: environment,
            transaction: period("\(purchase)1", from: signed - 60_000, to: signed + 30 * day, token: token),
            renewalInfo: renewal())
    }
}
