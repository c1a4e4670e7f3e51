import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import AppStoreVerification
import Cryptography
import Foundation
import Simulator

/// An App Store whose root the tests' ingresses trust, and another one that none of them trusts.
struct TestAppStore: Sendable {
    static let bundleId = "com.example.app"
    static let appAppleId: Int64 = 1_234_567_890

    /// An app configured without the sandbox.
    static var app: AppIdentity {
        AppIdentity(bundleId: BundleId(bundleId), appAppleId: AppAppleId(appAppleId), environments: [.production])
    }

    let pki: TestCertificateAuthority
    let untrusted: TestCertificateAuthority

    private static let made = Result {
        try initializeCryptography()
        let options = TestCertificateAuthority.Options(now: TestTime.start / 1000)
        return TestAppStore(
            pki: try TestCertificateAuthority(options), untrusted: try TestCertificateAuthority(options))
    }

    /// Shared by all tests, because key generation takes milliseconds.
    static func shared() throws -> TestAppStore { try made.get() }

    /// Returns distinct notifications of many customers.
    func corpus(_ count: Int, seed: UInt64 = 1) throws -> [SignedNotification] {
        let app = SimulatedApp(
            bundleId: BundleId(Self.bundleId), appAppleId: AppAppleId(Self.appAppleId), environment: .production)
        return try NotificationCorpus(count: count, seed: seed, pki: pki, app: app, endingAt: TestTime.start)
            .notifications
    }

    /// Returns a renewal with a transaction and renewal info, signed by `signer` or by this App Store.
    func renewal(_ draft: Draft = Draft(), by signer: JWSSigner? = nil) throws -> String {
        try NotificationSigner(signer ?? JWSSigner(pki), nested: JWSSigner(pki)).sign(draft.payloads).signedPayload
    }

    /// Returns the compact JWS of a body created here.
    static func jws(of body: [UInt8]) -> [UInt8] { Array(body.dropFirst(18).dropLast(2)) }

    static func body(_ jws: String) -> [UInt8] { Array("{\"signedPayload\":\"\(jws)\"}".utf8) }

    /// The variable parts of a renewal.
    struct Draft: Sendable {
        var notificationUUID = UUID().uuidString.lowercased()
        var bundleId = TestAppStore.bundleId
        var appAppleId = TestAppStore.appAppleId
        var environment = "Production"
        var version = "2.0"
        var signedDate = TestTime.start - 60_000
        var notificationType = "DID_RENEW"

        /// Payloads with additional unknown members, in a format that no encoder produces.
        var payloads: NotificationSigner.Payloads {
            NotificationSigner.Payloads(
                notification: notification(nested: true), transactionInfo: transaction, renewalInfo: renewalInfo)
        }

        var transaction: String {
            #"{"transactionId":"2000000000000002", "originalTransactionId":"2000000000000001","bundleId":"\#(bundleId)","#
                + #""productId":"com.example.pro","price":10990,"environment":"\#(environment)","signedDate":\#(signedDate)}"#
        }

        var renewalInfo: String {
            #"{"originalTransactionId":"2000000000000001","autoRenewProductId":"com.example.pro","autoRenewStatus":1,"#
                + #""environment":"\#(environment)","signedDate":\#(signedDate)}"#
        }

        /// Returns the notification as in the record, with empty nested texts.
        var emptiedNotification: String {
            notification(nested: true).replacing("{signedTransactionInfo}", with: "")
                .replacing("{signedRenewalInfo}", with: "")
        }

        func notification(nested: Bool) -> String {
            let transaction = nested ? #""signedTransactionInfo":"{signedTransactionInfo}","# : ""
            let renewalInfo = nested ? #""signedRenewalInfo":"{signedRenewalInfo}","# : ""
            return
                #"{"notificationType":"\#(notificationType)","subtype":"BILLING_RECOVERY", "tomorrow":[1.50,"\u00e9"],"#
                + #""notificationUUID":"\#(notificationUUID)","data":{"appAppleId":\#(appAppleId),"#
                + #""bundleId":"\#(bundleId)",\#(transaction)\#(renewalInfo)"environment":"\#(environment)","#
                + #""status":1},"version":"\#(version)","signedDate":\#(signedDate)}"#
        }
    }
}
