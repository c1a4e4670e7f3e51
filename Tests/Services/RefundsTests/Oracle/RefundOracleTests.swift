import Testing

/// Inputs that the oracle must reject, and the cases of app-store.md 10.7, which it must accept.
@Suite struct RefundOracleTests {
    private static let hour = RefundStory.hour
    private static let minute = RefundStory.minute
    private static let ten = #"{"customerConsented":true,"consumptionPercentage":10000}"#
    private static let twenty = #"{"customerConsented":true,"consumptionPercentage":20000}"#

    /// Returns a story with requests that are received and read when they are signed, in hours.
    private static func story(_ signed: [Int64], _ change: (inout RefundStory) -> Void = { _ in }) -> RefundStory {
        var story = RefundStory()
        story.requests = signed.map {
            RefundStory.Request(uuid: "q\($0)", signed: $0 * hour, received: $0 * hour, arrives: $0 * hour)
        }
        story.service = [RefundStory.Change(at: 0, value: .yes(10_000))]
        change(&story)
        return story
    }

    private static func put(_ at: Int64, _ body: String = ten, isAccepted: Bool = true) -> RefundTrace {
        .put(at: at, body: body, isAccepted: isAccepted, isRefused: false)
    }

    private static let good: [RefundTrace] = [
        .asked(at: 0, .yes(10_000)), put(100), .accepted(at: 100, through: 0),
    ]

    private func problems(_ story: RefundStory, _ trace: [RefundTrace]) -> String {
        RefundOracle.problems(story, trace).joined(separator: "; ")
    }

    @Test func `a request answered once is correct, even when it is repeated`() {
        #expect(problems(Self.story([0, 8, 16]), Self.good) == "")
    }

    @Test func `a second answer is wrong unless the process died`() {
        let twice = Self.good + [Self.put(200)]
        #expect(problems(Self.story([0]), twice).contains("does not wait"))
        let unrecorded: [RefundTrace] = [.asked(at: 0, .yes(10_000)), Self.put(100), Self.put(200)]
        #expect(problems(Self.story([0]), unrecorded).contains("after an accepted one"))
        let died: [RefundTrace] = [
            .asked(at: 0, .yes(10_000)), Self.put(100), .died(at: 100), Self.put(200), .accepted(at: 200, through: 0),
        ]
        #expect(problems(Self.story([0]), died) == "")
    }

    @Test func `another body in a round is wrong`() {
        let other: [RefundTrace] = [
            .asked(at: 0, .yes(10_000)), Self.put(100, isAccepted: false), Self.put(60_100, Self.twenty),
            .accepted(at: 60_100, through: 0),
        ]
        #expect(problems(Self.story([0]), other).contains("two bodies"))
    }

    @Test func `a missing answer is wrong`() {
        #expect(problems(Self.story([0]), []).contains("nobody ended"))
        let missed: [RefundTrace] = [.ended(at: 12 * Self.hour, through: 0, kind: "missed", clock: 12 * Self.hour)]
        #expect(problems(Self.story([0]), missed).contains("although it could be"))
    }

    @Test func `an end without a cause is wrong`() {
        func end(_ kind: String, at moment: Int64) -> String {
            problems(Self.story([0]), [.ended(at: moment, through: 0, kind: kind, clock: moment)])
        }
        #expect(end("withheld", at: 0).contains("nobody said no"))
        #expect(end("missed", at: Self.hour).contains("before the end"))
        #expect(end("too_late", at: Self.hour).contains("read in time"))
        #expect(end("refused", at: Self.hour).contains("Apple did not"))
    }

    @Test func `a body without consent is wrong`() {
        let withdrawn = Self.story([0]) { $0.recorded = [RefundStory.Change(at: 0, value: .withdrawal)] }
        #expect(problems(withdrawn, Self.good).contains("withdrawal"))
        let no: [RefundTrace] = [.asked(at: 0, .no), Self.put(100), .accepted(at: 100, through: 0)]
        #expect(problems(Self.story([0]), no).contains("a no of the service"))
        let unreadable: [RefundTrace] = [.asked(at: 0, .unreadable), Self.put(100), .accepted(at: 100, through: 0)]
        #expect(problems(Self.story([0]) { $0.fallsBack = true }, unreadable).contains("the service spoke"))
        let silent: [RefundTrace] = [.asked(at: 0, .silent), Self.put(100), .accepted(at: 100, through: 0)]
        #expect(problems(Self.story([0]) { $0.fallsBack = true }, silent).contains("before the last hour"))
        #expect(problems(Self.story([0]) { $0.fileConsents = false }, Self.good).contains("the rules' no"))
        let rescinded = Self.story([0]) {
            $0.rescindedAt = 0
            $0.service = [RefundStory.Change(at: 0, value: .absent)]
        }
        #expect(problems(rescinded, [Self.put(100), .accepted(at: 100, through: 0)]).contains("RESCIND_CONSENT"))
    }

    @Test func `an old body without a new query of the service is wrong`() {
        let old: [RefundTrace] = [
            .asked(at: 0, .yes(10_000)), Self.put(100, isAccepted: false), Self.put(2 * Self.hour),
            .accepted(at: 2 * Self.hour, through: 0),
        ]
        #expect(problems(Self.story([0]), old).contains("without a new question"))
        let asked: [RefundTrace] = [
            .asked(at: 0, .yes(10_000)), Self.put(100, isAccepted: false), .asked(at: 2 * Self.hour, .yes(10_000)),
            Self.put(2 * Self.hour), .accepted(at: 2 * Self.hour, through: 0),
        ]
        #expect(problems(Self.story([0]), asked) == "")
    }

    @Test func `an answer after Apple's decision is wrong`() {
        let decided = Self.story([0]) {
            $0.verdicts = [RefundStory.Verdict(decision: .refund, signed: 50, arrives: 60)]
        }
        #expect(problems(decided, Self.good).contains("does not wait"))
    }

    @Test func `an answer about a shared or assigned transaction, or an old request, is wrong`() {
        #expect(problems(Self.story([0]) { $0.ownership = .assigned }, Self.good).contains("takes nothing"))
        var old = Self.story([0])
        old.requests = [
            RefundStory.Request(uuid: "q", signed: 0, received: 170 * Self.hour, arrives: 170 * Self.hour)
        ]
        #expect(problems(old, [Self.put(170 * Self.hour + 1)]).contains("history"))
    }

    @Test func `the second round is answered from the facts at its time`() {
        let declined = Self.story([0, 100]) {
            $0.verdicts = [RefundStory.Verdict(decision: .declined, signed: 20 * Self.hour, arrives: 20 * Self.hour)]
            $0.service.append(RefundStory.Change(at: 90 * Self.hour, value: .yes(20_000)))
        }
        let second = 100 * Self.hour
        let right: [RefundTrace] = [
            .asked(at: second, .yes(20_000)), Self.put(second, Self.twenty), .accepted(at: second, through: second),
        ]
        #expect(problems(declined, Self.good + right) == "")
        let old: [RefundTrace] = [Self.put(second), .accepted(at: second, through: second)]
        #expect(problems(declined, Self.good + old).contains("the service spoke"))
        #expect(problems(declined, Self.good).contains("nobody ended"))
    }

    // MARK: Rounds

    @Test(
        arguments: [
            // Cases 1, 4 and 13 of 10.7. Each has the signing dates of the requests, the verdicts, the ends, and the
            // expected rounds.
            ([0, 8, 16], [], [], [[0, 8, 16]]), ([0, 100], [20], [], [[0], [100]]), ([0, 8], [], [0], [[0], [8]]),
            ([0, 2_160], [], [], [[0], [2_160]]), ([0, 16], [], [0], [[0], [16]]),
            ([0, 600], [2, 500], [], [[0], [600]]),
            ([0, 72], [], [], [[0, 72]]), ([0, 73], [], [], [[0], [73]]),
            // An end of the first round starts no new round among later requests.
            ([0, 8, 16], [], [0], [[0], [8, 16]]),
        ] as [([Int64], [Int64], [Int64], [[Int64]])])
    func `rounds follow Apple's dates`(
        _ requests: [Int64], _ verdicts: [Int64], _ ends: [Int64], _ expected: [[Int64]]
    ) {
        let rounds = RefundOracle.rounds(
            Self.story(requests).requests,
            verdicts.map { RefundStory.Verdict(decision: .declined, signed: $0 * Self.hour, arrives: 0) },
            acceptances: [], ends: ends.map { $0 * Self.hour })
        #expect(rounds.map(\.requests) == expected.map { $0.map { "q\($0)" } })
    }
}
