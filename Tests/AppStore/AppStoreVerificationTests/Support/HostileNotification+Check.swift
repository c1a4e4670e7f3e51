import AppStoreTestSupport
import Testing

@testable import AppStoreVerification

extension HostileNotification {
    /// The verdict must be the same for a verifier that has seen nothing and for one that knows the good header, which
    /// takes another way through the code.
    func check() throws {
        let kit = try SigningKit.shared()
        let body = try body(kit)
        let cold = try kit.verifier().verify(body: body, at: SigningKit.now)
        #expect(ExpectedVerdict(cold) == expected, "without a known header")
        let verifier = try kit.verifier()
        let first = verifier.verify(body: try kit.body(), at: SigningKit.now)
        #expect(ExpectedVerdict(first) == .accepted)
        let warm = verifier.verify(body: body, at: SigningKit.now)
        #expect(ExpectedVerdict(warm) == expected, "with a known header")
    }
}
