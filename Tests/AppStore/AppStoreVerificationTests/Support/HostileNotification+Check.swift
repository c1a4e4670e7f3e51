import AppStoreTestSupport
import Testing

@testable import AppStoreVerification

extension HostileNotification {
    /// Checks that the verdict is the same for a new verifier, for one with a cached valid header, and for one with a
    /// precomputed table of the key. Each takes a different code path.
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
        let tabled = try TabledVerifier.sharing(kit)
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.tables == 1)
        #expect(tabled.verify(body) == expected, "with a table of the key")
        #expect(tabled.status.faults == 0)
    }
}
