import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Apple's API returns objects for 180 days. Their leaf may have expired since then (app-store.md 2.5).
@Suite struct CertificateMomentTests {
    private static let day: Int64 = 86_400_000

    /// The leaf was valid from 700 to 10 days ago.
    private static let made = Result {
        try initializeCryptography()
        var options = SigningKit.options
        options.adjustLeaf = {
            let now = SigningKit.now / 1000
            $0.validity = CertificateValidity(notBefore: now - 700 * 86_400, notAfter: now - 10 * 86_400)
        }
        return SigningKit(pki: try TestCertificateAuthority(options))
    }

    private let kit: SigningKit

    init() throws { kit = try Self.made.get() }

    /// Returns a notification of the given age, with nested objects of the same age.
    private func draft(_ age: Int64) -> NotificationDraft {
        .with {
            $0.outer["signedDate"] = "\(SigningKit.now - age)"
            $0.transaction?["signedDate"] = "\(SigningKit.now - age)"
            $0.renewalInfo?["signedDate"] = "\(SigningKit.now - age)"
        }
    }

    private func verdict(_ draft: NotificationDraft, _ moment: CertificateMoment) throws -> ExpectedVerdict {
        let jws = Array(try kit.jws(draft).utf8)
        return ExpectedVerdict(
            try kit.verifier().verify(signedPayload: jws, at: SigningKit.now, certificates: moment))
    }

    /// Whether the leaf was valid at the given age, in seconds.
    @Test(
        arguments: [
            (40 * 86_400, true), (10 * 86_400, true), (700 * 86_400, true), (10 * 86_400 - 1, false),
            (5 * 86_400, false),
            (700 * 86_400 + 1, false), (-43_200, false),
        ] as [(Int64, Bool)])
    func `an API response is verified at its signedDate, a posted notification at the current time`(
        _ seconds: Int64, _ wasValid: Bool
    ) throws {
        let draft = draft(seconds * 1000)
        #expect(try verdict(draft, .signature) == (wasValid ? .accepted : .forbidden(.certificateTime)))
        #expect(try verdict(draft, .present) == .forbidden(.certificateTime))
    }

    @Test func `without a readable signedDate, the current time is used`() throws {
        for date in [nil, "\"\(SigningKit.now - 40 * Self.day)\"", "1e300"] {
            var draft = draft(40 * Self.day)
            draft.outer["signedDate"] = date
            #expect(try verdict(draft, .signature) == .forbidden(.certificateTime))
        }
    }

    @Test func `a nested object is verified at its own signedDate`() throws {
        var draft = draft(40 * Self.day)
        draft.transaction?["signedDate"] = "\(SigningKit.now - 5 * Self.day)"
        #expect(try verdict(draft, .signature) == .nonconforming(.profileNested))
    }

    @Test func `transactions and app transactions in a response are also verified at their signedDate`() throws {
        let verifier = try kit.verifier()
        for (age, isGood) in [(40 * Self.day, true), (5 * Self.day, false)] {
            let transaction = Array(try kit.sign(draft(age).transaction?.text ?? "").utf8)
            let renewalInfo = Array(try kit.sign(draft(age).renewalInfo?.text ?? "").utf8)
            var app = try #require(NotificationDraft.appData.appTransaction)
            app["receiptCreationDate"] = "\(SigningKit.now - age)"
            let appTransaction = Array(try kit.sign(app.text).utf8)
            for moment in [CertificateMoment.signature, .present] {
                let pair = try? verifier.verify(
                    signedTransaction: transaction, signedRenewalInfo: renewalInfo, at: SigningKit.now,
                    certificates: moment)
                #expect((pair != nil) == (isGood && moment == .signature))
                let single = try? verifier.verify(
                    signedAppTransaction: appTransaction, at: SigningKit.now, certificates: moment)
                #expect((single != nil) == (isGood && moment == .signature))
            }
        }
    }

    private struct SilentResponder: OCSPRequester {
        struct Silence: Error {}
        func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
            throw Silence()
        }
    }

    @Test func `responders are not queried about an expired certificate`() throws {
        let verifier = try NotificationVerifier(
            kit.configuration { $0.revocation = .strict }, requester: SilentResponder())
        let jws = Array(try kit.jws(draft(40 * Self.day)).utf8)
        let verdict = verifier.verify(signedPayload: jws, at: SigningKit.now, certificates: .signature)
        #expect(ExpectedVerdict(verdict) == .accepted)
        #expect(verifier.revocationStatus(at: SigningKit.now).unknown == 0)
    }
}
