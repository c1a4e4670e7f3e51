import AppStoreModel
import AppStoreTestSupport
import Synchronization
import Testing

@testable import AppStoreVerification

/// A notification that its receiver has already stored is answered without checking its nested objects.
@Suite struct DuplicateTests {
    private let now = SigningKit.now

    @Test func `an acknowledged notification is a duplicate in its environment, without its nested objects`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let body = try kit.body()
        guard case .accepted(let notification) = verifier.verify(body: body, at: now) else {
            Issue.record("not accepted")
            return
        }
        let known = try #require(notification.envelope.notificationUUID.value)
        let environment = try #require(notification.envelope.environment.value)
        let verdict = verifier.verify(body: body, at: now) { $0 == known && $1 == environment }
        #expect(ExpectedVerdict(verdict) == .duplicate)
        let another = verifier.verify(body: body, at: now) { $0 == known && $1 != environment }
        #expect(ExpectedVerdict(another) == .accepted)
    }

    @Test(arguments: [HostileNotification.signatures, HostileNotification.audiences].flatMap { $0 })
    func `an unacceptable body is never a duplicate just because of its UUID`(_ hostile: HostileNotification) throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        let verdict = verifier.verify(body: try hostile.body(kit), at: now) { _, _ in true }
        let isGood = hostile.expected == .accepted || hostile.expected == .sandbox
        #expect(ExpectedVerdict(verdict) == (isGood ? .duplicate : hostile.expected))
    }
}
