import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import TestSupport
import Testing

@testable import AppStoreVerification

/// The timing of OCSP requests: the state alone, with a test clock and random number generator.
@Suite struct RevocationStateTests {
    private let now = SigningKit.now

    private func stateWithOne() throws -> (RevocationState, RevocationStanding) {
        let kit = try SigningKit.shared()
        var state = RevocationState()
        let standing = state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: now)
        return (state, standing)
    }

    @Test func `a certificate has one request in flight at a time`() throws {
        var (state, standing) = try stateWithOne()
        let due = state.takeDueQuestions(at: now)
        #expect(due.count == 1)
        #expect(state.takeDueQuestions(at: now + 1_000_000).isEmpty)
        var random = SeededGenerator(seed: 42)
        state.record(.unreachable, of: try #require(due.first).id, at: now, using: &random)
        #expect(state.takeDueQuestions(at: now + RevocationState.shortestPause).count == 1)
        #expect(standing.known(at: now) == .unknown)
    }

    @Test func `a certificate has a single status cell`() throws {
        let kit = try SigningKit.shared()
        var (state, standing) = try stateWithOne()
        #expect(state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: now) === standing)
        #expect(state.standing(of: kit.pki.intermediate, issuer: kit.pki.root, at: now) !== standing)
    }

    @Test func `a good response is renewed between half and four fifths of its lifetime`() throws {
        for seed in 0..<100 as Range<UInt64> {
            var (state, standing) = try stateWithOne()
            var random = SeededGenerator(seed: seed)
            let question = try #require(state.takeDueQuestions(at: now).first)
            let answer = OCSPAnswer.good(thisUpdate: now / 1000, nextUpdate: now / 1000 + 36_000)
            state.record(.answer(answer), of: question.id, at: now, using: &random)
            #expect(standing.known(at: now + 36_000_000) == .good)
            #expect(state.takeDueQuestions(at: now + 17_999_999).isEmpty)
            #expect(state.takeDueQuestions(at: now + 28_800_000).count == 1)
        }
    }

    @Test func `failures are retried at growing intervals up to ten minutes`() throws {
        var (state, _) = try stateWithOne()
        var random = SeededGenerator(seed: 42)
        var time = now
        for longest in [15, 30, 60, 120, 240, 480, 480, 480] as [Int64] {
            let question = try #require(state.takeDueQuestions(at: time).first)
            state.record(.unreachable, of: question.id, at: time, using: &random)
            #expect(state.takeDueQuestions(at: time + longest * 500 - 1).isEmpty)
            time += longest * 1000
        }
    }

    @Test func `a clock that is set back makes requests due again`() throws {
        let kit = try SigningKit.shared()
        var state = RevocationState()
        var random = SeededGenerator(seed: 42)
        let ahead = now + 86_400_000
        let standing = state.standing(of: kit.pki.leaf, issuer: kit.pki.intermediate, at: ahead)
        let question = try #require(state.takeDueQuestions(at: ahead).first)
        state.record(.answer(.nothingNew(.stale)), of: question.id, at: ahead, using: &random)
        #expect(state.takeDueQuestions(at: ahead - RevocationState.shortestPause).isEmpty)
        #expect(state.takeDueQuestions(at: now).count == 1)
        state.record(.unreachable, of: question.id, at: now, using: &random)
        #expect(state.takeDueQuestions(at: now + 1).isEmpty)
        #expect(standing.known(at: now) == .unknown)
        #expect(!state.status(at: now + RevocationState.alertAfter - 1).needsAttention)
        #expect(state.status(at: now + RevocationState.alertAfter).needsAttention)
    }

    @Test func `a revoked certificate is not requested again if the clock is set back`() throws {
        var (state, standing) = try stateWithOne()
        var random = SeededGenerator(seed: 42)
        let question = try #require(state.takeDueQuestions(at: now).first)
        state.record(.answer(.revoked(at: now / 1000, reason: nil)), of: question.id, at: now, using: &random)
        #expect(state.takeDueQuestions(at: now - 86_400_000).isEmpty)
        #expect(standing.known(at: now - 86_400_000) == .revoked)
    }

    @Test func `a response more than a day old leaves the status unknown, which raises an alert`() throws {
        var (state, standing) = try stateWithOne()
        var random = SeededGenerator(seed: 42)
        let answer = OCSPAnswer.good(thisUpdate: now / 1000 - 172_800, nextUpdate: now / 1000 + 432_000)
        let later = now + RevocationState.alertAfter
        for time in [now, later] {
            let question = try #require(state.takeDueQuestions(at: time).first)
            state.record(.answer(answer), of: question.id, at: time, using: &random)
            #expect(standing.known(at: time) == .unknown)
        }
        #expect(!state.status(at: later - 1).needsAttention)
        #expect(state.status(at: later).needsAttention)
        #expect(state.status(at: later).unknown == 1)
    }

    @Test func `a revocation is permanent`() throws {
        var (state, standing) = try stateWithOne()
        var random = SeededGenerator(seed: 42)
        let question = try #require(state.takeDueQuestions(at: now).first)
        state.record(.answer(.revoked(at: now / 1000, reason: nil)), of: question.id, at: now, using: &random)
        state.record(.answer(.good(thisUpdate: now / 1000, nextUpdate: nil)), of: question.id, at: now, using: &random)
        #expect(standing.known(at: now) == .revoked)
    }

    @Test(arguments: [(Int64.max, Int64.max), (.min, .min), (0, nil), (.max / 1000, nil)] as [(Int64, Int64?)])
    func `no date from a responder traps`(_ thisUpdate: Int64, _ nextUpdate: Int64?) throws {
        for time in [Int64.min, 0, .max] {
            var (state, _) = try stateWithOne()
            var random = SeededGenerator(seed: 42)
            let question = try #require(state.takeDueQuestions(at: now).first)
            let answer = OCSPAnswer.good(thisUpdate: thisUpdate, nextUpdate: nextUpdate)
            state.record(.answer(answer), of: question.id, at: time, using: &random)
            _ = state.status(at: time)
        }
    }

    @Test func `the number of tracked certificates is limited`() throws {
        let kit = try SigningKit.shared()
        var state = RevocationState()
        for index in 0..<100 {
            let leaf = try kit.leaf()
            _ = state.standing(of: leaf.certificate, issuer: kit.pki.intermediate, at: now + Int64(index))
        }
        #expect(state.takeDueQuestions(at: now + 1000).count == RevocationState.capacity)
    }
}
