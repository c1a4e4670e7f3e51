import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import TestSupport
import Testing

@testable import AppStoreVerification

/// Captured Apple samples under Apple's own root prove that the complete verification works on real input.
@Suite(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)")) struct AppleSampleTests {
    static var all: [AppleSample] { (try? TestVectors.appleSamples()) ?? [] }

    /// A time within the validity period of the leaf, which ends on 13 October 2027.
    private static let now: Int64 = 1_790_000_000_000
    private static let app = AppIdentity(
        bundleId: BundleId("com.loki-project.loki-messenger"), appAppleId: AppAppleId(1_470_168_868))

    private static func verifier(
        _ change: (inout VerifierConfiguration) -> Void = { _ in }
    ) throws -> NotificationVerifier {
        try initializeCryptography()
        var configuration = VerifierConfiguration(apps: [app], revocation: .off)
        change(&configuration)
        return try NotificationVerifier(configuration)
    }

    @Test func `all seven captured Apple notifications are present`() {
        #expect(Self.all.count == 7)
    }

    @Test func `each sample is accepted with its nested objects, which name the purchase`() throws {
        let verifier = try Self.verifier()
        for sample in Self.all {
            guard case .accepted(let notification) = verifier.verify(body: sample.body, at: Self.now) else {
                Issue.record("\(sample.facts.file) is not accepted")
                continue
            }
            let envelope = notification.envelope
            #expect(envelope.notificationUUID.value?.rawValue == sample.facts.notificationUUID)
            #expect(envelope.notificationType.value?.rawValue == sample.facts.notificationType)
            #expect(envelope.subtype.value?.rawValue == sample.facts.subtype)
            #expect(envelope.environment.value == .sandbox)
            #expect(envelope.signedDate.value?.millisecondsSince1970 == sample.facts.signedDate)
            #expect(notification.transactionEnvelope?.transactionId.value?.rawValue == sample.facts.transactionId)
            #expect(
                notification.transactionEnvelope?.originalTransactionId.value?.rawValue
                    == sample.facts.originalTransactionId)
            #expect(notification.renewalInfo != nil)
            #expect(notification.certificates.leaf == "47c287cdd9f9e7867f528ada74dc7db7")
        }
        #expect(verifier.chainValidations == 1)
    }

    @Test func `no sample is accepted in 2028, for another app, or under another root`() throws {
        let late = try Self.verifier()
        let other = try Self.verifier {
            $0.apps = [AppIdentity(bundleId: BundleId("com.example"), appAppleId: AppAppleId(1_470_168_868))]
        }
        let otherRoot = try Self.verifier { $0.roots = [(try? SigningKit.shared().pki.root.der) ?? []] }
        for sample in Self.all {
            let body = sample.body
            #expect(ExpectedVerdict(late.verify(body: body, at: 1_830_000_000_000)) == .forbidden(.certificateTime))
            #expect(ExpectedVerdict(other.verify(body: body, at: Self.now)) == .notForUs(.audience))
            #expect(ExpectedVerdict(otherRoot.verify(body: body, at: Self.now)) == .forbidden(.chainRoot))
        }
    }

    @Test func `strict revocation queries Apple's responders about the leaf and the intermediate`() async throws {
        let requester = Silent()
        let verifier = try NotificationVerifier(
            VerifierConfiguration(apps: [Self.app], revocation: .strict), requester: requester)
        let body = try #require(Self.all.first).body
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .retryLater(.revocationUnknown))
        await verifier.revocation.askDueQuestions { Self.now }
        #expect(
            await requester.addresses.sorted() == [
                "http://ocsp.apple.com/ocsp03-applerootcag3", "http://ocsp.apple.com/ocsp03-wwdrg602",
            ])
    }

    private actor Silent: OCSPRequester {
        struct NoAnswer: Error {}
        private(set) var addresses: [String] = []

        func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
            addresses.append(address)
            throw NoAnswer()
        }
    }

    @Test func `no sample with one changed byte is accepted`() throws {
        let verifier = try Self.verifier()
        var random = SeededGenerator(seed: 20_261_121)
        for sample in Self.all {
            let body = sample.body
            #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted)
            for _ in 0..<300 {
                let changed = body.withOneByteChanged(using: &random)
                if case .accepted = verifier.verify(body: changed, at: Self.now) {
                    Issue.record("\(sample.facts.file) was accepted with a changed byte")
                }
            }
        }
    }
}
