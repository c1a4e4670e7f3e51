import AppStoreModel
import RefundRules
import Testing

/// The cases in app-store.md 10.7 that concern a single refund case. Times are in hours.
@Suite("Rounds of refund cases") struct RefundRoundsTests {
    private func q(_ signed: Int64, received: Int64? = nil, readAt: Int64? = nil) -> RefundNotification {
        var notification = request(signed * hour, received: (received ?? signed) * hour)
        notification.readAt = readAt.map { $0 * hour }
        return notification
    }

    private func verdict(_ type: NotificationType, _ signed: Int64) -> RefundNotification {
        RefundNotification(type, signed: signed * hour)
    }

    private func statuses(_ refund: RefundCase) -> [AnswerStatus] { refund.rounds.all.map(\.status) }

    @Test func `1: an accepted answer settles the repeated requests after it`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        refund.merge(try merged([q(8), q(16)]))
        #expect(statuses(refund) == [.accepted])
        refund.merge(try verdict(.refund, 20).refund())
        #expect(statuses(refund) == [.accepted] && refund.outcome == .granted)
    }

    @Test func `2: a request after a declined one opens a second round`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        refund.merge(try merged([verdict(.refundDeclined, 20), q(100)]))
        #expect(statuses(refund) == [.accepted, .waiting])
        #expect(refund.rounds.waiting?.number == 2)
    }

    @Test func `3: a request after a withheld one opens a second round, and its repetition no third one`()
        throws
    {
        var refund = try q(0).refund()
        try refund.end(.withheld, at: 1_000)
        refund.merge(try q(8).refund())
        #expect(statuses(refund) == [.withheld, .waiting])
        try refund.accept(at: 8 * hour)
        refund.merge(try q(16).refund())
        #expect(statuses(refund) == [.withheld, .accepted])
    }

    @Test func `4: a request after 72 hours of silence opens a second round`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        var near = refund
        near.merge(try q(72).refund())
        #expect(statuses(near) == [.accepted])
        refund.merge(try q(24 * 90).refund())
        #expect(statuses(refund) == [.accepted, .waiting])
    }

    @Test func `5: a request received after 13 hours can be answered for another 12`() throws {
        let round = try #require(try q(0, received: 13).refund().rounds.waiting)
        #expect(round.answerableUntil == at(25 * hour))
        #expect(round.deadline == at(12 * hour))
        #expect(!round.isTooLate)
    }

    @Test func `6: a request after a missed one opens a second round`() throws {
        var refund = try q(0).refund()
        try refund.end(.missed, at: 12 * hour)
        refund.merge(try q(16).refund())
        #expect(statuses(refund) == [.missed, .waiting])
    }

    @Test(arguments: [Int64(-30_000), 30_000])
    func `10: a wrong clock changes nothing`(_ error: Int64) throws {
        var refund = try request(0, received: 1_000).refund()
        refund.insert(AnswerAcceptance(through: at(0), at: at(2_000 + error), attempts: 1))
        #expect(refund.rounds.status == .accepted)
        var ended = try request(0, received: 1_000).refund()
        ended.insert(AnswerEnd(.withheld, through: at(0), at: at(2_000 + error), reason: "no_consent"))
        #expect(ended.rounds.status == .withheld)
    }

    @Test func `11: a request after a reversed refund opens a second round`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        refund.merge(try merged([verdict(.refund, 2), verdict(.refundReversed, 500), q(600)]))
        #expect(statuses(refund) == [.accepted, .waiting])
        #expect(refund.outcome == .reversed)
    }

    @Test func `12: a refund before the first answer ends the round`() throws {
        let refund = try merged([q(0), RefundNotification(.refund, signed: 600_000)])
        #expect(statuses(refund) == [.overtaken])
    }

    @Test func `13: the older of two requests may arrive last`() throws {
        var refund = try q(8).refund()
        try refund.accept(at: 8 * hour)
        refund.merge(try q(0, received: 9).refund())
        #expect(statuses(refund) == [.accepted])
        #expect(try statuses(merged([q(8), q(0, received: 9)])) == [.waiting])
    }

    @Test func `14: a refund of seats leaves the round open`() throws {
        var seats = verdict(.refund, 1)
        seats.isOfSeats = true
        let refund = try merged([q(0), seats])
        #expect(statuses(refund) == [.waiting] && refund.outcome == nil)
    }

    @Test func `15: a request that had expired when it was first read is too late`() throws {
        let round = try #require(try q(0, readAt: 120).refund().rounds.waiting)
        #expect(round.isTooLate)
        // Reading a request again, for example after a reset of offsets, does not make it late if it was first read in
        // time.
        let refund = try merged([q(0, readAt: 1), q(0, readAt: 120)])
        #expect(refund.rounds.waiting?.isTooLate == false)
        #expect(try merged([q(0, readAt: 120), q(0, readAt: 1)]) == refund)
    }

    @Test func `16: a request from the history is tried until Apple's last attempt`() throws {
        let tried = try #require(try q(0, received: 120).refund().rounds.waiting)
        #expect(!tried.isTooLate && tried.answerableUntil == at(132 * hour))
        let late = try #require(try q(0, received: 170).refund().rounds.waiting)
        #expect(late.isTooLate && late.answerableUntil == nil)
    }

    // MARK: Beyond the table

    @Test func `a verdict that arrives between two answered requests splits them afterwards`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        refund.merge(try q(30).refund())
        #expect(statuses(refund) == [.accepted])
        refund.merge(try verdict(.refundDeclined, 20).refund())
        #expect(statuses(refund) == [.accepted, .waiting])
    }

    @Test func `a request that arrives late can join two rounds, and the answer of one settles both`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        refund.merge(try q(80).refund())
        #expect(statuses(refund) == [.accepted, .waiting])
        refund.merge(try q(40, received: 81).refund())
        #expect(statuses(refund) == [.accepted])
    }

    @Test func `a round without an answer before the next one is overtaken`() throws {
        #expect(try statuses(merged([q(0), q(100)])) == [.overtaken, .waiting])
    }

    @Test func `a request that exceeds the limit leaves an answered round answered`() throws {
        var refund = try q(0).refund()
        try refund.accept(at: 60_000)
        for number in 1...100 { refund.merge(try q(Int64(number)).refund()) }
        #expect(refund.requests.count == 64)
        #expect(statuses(refund).last == .accepted)
    }

    @Test func `the oldest request determines the deadline, the last receipt the end`() throws {
        let round = try #require(try merged([q(0, received: 1), q(8, received: 9)]).rounds.waiting)
        #expect(round.deadline == at(12 * hour))
        #expect(round.answerableUntil == at(21 * hour))
        #expect(round.through == at(8 * hour))
    }

    @Test func `the gap between rounds is configurable`() throws {
        let refund = try merged([q(0), q(2)])
        #expect(RefundRounds(refund, gap: hour).all.count == 2)
        #expect(RefundRounds(refund, gap: 2 * hour).all.count == 1)
    }
}
