import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import TestSupport
import Testing

@testable import AppStoreVerification

/// Eviction of revocation data at the limit.
@Suite struct RevocationMemoryTests {
    private let now = SigningKit.now

    /// Requests the statuses of the given number of new leaves, each a millisecond after the previous one.
    private func fill(_ state: inout RevocationState, with count: Int, from start: Int64) throws {
        let kit = try SigningKit.shared()
        for index in 0..<Int64(count) {
            let leaf = try kit.leaf()
            _ = state.standing(of: leaf.certificate, issuer: kit.pki.intermediate, at: start + index)
        }
    }

    @Test func `a revoked certificate is never evicted`() throws {
        let kit = try SigningKit.shared()
        var state = RevocationState()
        let standing = state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: now)
        let question = try #require(state.takeDueQuestions(at: now).first)
        var random = SeededGenerator(seed: 42)
        state.record(.answer(.revoked(at: now / 1000, reason: nil)), of: question.id, at: now, using: &random)
        try fill(&state, with: RevocationState.capacity + 5, from: now + 1)
        #expect(state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: now) === standing)
        #expect(state.status(at: now).revoked == 1)
    }

    @Test func `a certificate with a request in flight is not evicted`() throws {
        let kit = try SigningKit.shared()
        var state = RevocationState()
        let standing = state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: now)
        let question = try #require(state.takeDueQuestions(at: now).first)
        try fill(&state, with: RevocationState.capacity + 5, from: now + 1)
        var random = SeededGenerator(seed: 42)
        let answer = OCSPAnswer.good(thisUpdate: now / 1000, nextUpdate: nil)
        state.record(.answer(answer), of: question.id, at: now, using: &random)
        #expect(standing.known(at: now) == .good)
        #expect(state.status(at: now).good == 1)
    }

    @Test func `the least recently used certificate is evicted first`() throws {
        let kit = try SigningKit.shared()
        var state = RevocationState()
        let first = state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: now)
        try fill(&state, with: RevocationState.capacity - 1, from: now + 1)
        let later = now + 1_000_000
        #expect(state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: later) === first)
        try fill(&state, with: 1, from: later + 1)
        #expect(state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: later + 2) === first)
        try fill(&state, with: RevocationState.capacity, from: later + 3)
        #expect(state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: later + 1000) !== first)
    }
}
