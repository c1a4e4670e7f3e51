/// Checks whether a trace obeys app-store.md 10.5 and 10.6. It is written from these sections alone, shares no code
/// with the service, and uses only the story and externally visible actions.
///
/// Where the sections leave a choice, rule 3 of 10.5 is taken to concern an end between two neighbours, s(p) ≤ through
/// < s(q).
struct RefundOracle {
    private typealias Story = RefundStory

    /// A round according to the requests known at a point in time.
    struct Round: Equatable {
        var requests: [String]
        var first: Int64
        var last: Int64
        /// Whether a verdict follows the round.
        var isDecided = false
        var isAccepted = false
        var isEnded = false

        var isWaiting: Bool { !isDecided && !isAccepted && !isEnded }
    }

    /// The course of one round so far.
    private struct Seen {
        var bodies: Set<String> = []
        var accepted = 0
        var deaths = 0
        var firstPut: Int64?
        /// The service's last usable answer.
        var lastYes: (at: Int64, percentage: Int)?
        var lastNo: Int64?
        var lastAsked: (at: Int64, word: RefundStory.Service)?
        var wasRefused = false

        func joined(_ other: Seen) -> Seen {
            var joined = self
            joined.bodies.formUnion(other.bodies)
            joined.accepted += other.accepted
            joined.deaths += other.deaths
            joined.firstPut = [firstPut, other.firstPut].compactMap(\.self).min()
            if other.lastYes?.at ?? -1 > lastYes?.at ?? -1 { joined.lastYes = other.lastYes }
            joined.lastNo = [lastNo, other.lastNo].compactMap(\.self).max()
            if other.lastAsked?.at ?? -1 > lastAsked?.at ?? -1 { joined.lastAsked = other.lastAsked }
            joined.wasRefused = wasRefused || other.wasRefused
            return joined
        }
    }

    static let gap: Int64 = 72 * RefundStory.hour
    static let answerTime: Int64 = 12 * RefundStory.hour
    /// Two clocks may each be wrong by up to a minute, and due work is checked once per minute.
    private static let tolerance: Int64 = 4 * RefundStory.minute

    private let story: RefundStory
    private var problems: [String] = []
    private var acceptances: [Int64] = []
    private var ends: [Int64] = []
    /// The ends, with their times and kinds.
    private var endings: [(at: Int64, through: Int64, kind: String)] = []
    /// Keyed by the newest known request, because a late request may be older and join two rounds.
    private var seenByRequest: [String: Seen] = [:]

    /// - Returns: the violations; empty if the trace is valid.
    static func problems(_ story: RefundStory, _ trace: [RefundTrace]) -> [String] {
        var oracle = RefundOracle(story)
        for event in trace { oracle.check(event) }
        oracle.checkEnd()
        return oracle.problems
    }

    private init(_ story: RefundStory) { self.story = story }

    // MARK: Rounds

    /// Returns the rounds of the requests known at the given time (10.5, rules 1 to 4).
    static func rounds(
        _ requests: [RefundStory.Request], _ verdicts: [RefundStory.Verdict], acceptances: [Int64], ends: [Int64]
    ) -> [Round] {
        let decisions = verdicts.filter { $0.decision != .seats }.map(\.signed)
        var rounds: [Round] = []
        for request in requests.sorted(by: { ($0.signed, $0.uuid) < ($1.signed, $1.uuid) }) {
            let (s, p) = (request.signed, rounds.last?.last)
            let opens =
                p.map { p in
                    s - p > gap || decisions.contains { p <= $0 && $0 <= s } || ends.contains { p <= $0 && $0 < s }
                } ?? true
            if opens {
                rounds.append(Round(requests: [request.uuid], first: s, last: s))
            } else {
                rounds[rounds.count - 1].requests.append(request.uuid)
                rounds[rounds.count - 1].last = s
            }
        }
        for index in rounds.indices {
            let next = index + 1 < rounds.count ? rounds[index + 1].first : Int64.max
            let own = rounds[index].first..<next
            rounds[index].isDecided = decisions.contains { $0 >= rounds[index].last && $0 <= next }
            rounds[index].isAccepted = acceptances.contains(where: own.contains)
            rounds[index].isEnded = ends.contains(where: own.contains)
        }
        return rounds
    }

    private func rounds(at moment: Int64) -> [Round] {
        Self.rounds(
            story.requests.filter { max($0.arrives, story.start) <= moment },
            story.verdicts.filter { max($0.arrives, story.start) <= moment }, acceptances: acceptances, ends: ends)
    }

    private func requests(of round: Round) -> [RefundStory.Request] {
        story.requests.filter { round.requests.contains($0.uuid) }
    }

    /// Returns the deadline for an answer: the latest receipt plus 12 h, among requests that Apple may still wait for.
    private func until(_ round: Round) -> Int64? {
        requests(of: round).filter { $0.received - $0.signed <= 169 * RefundStory.hour }.map(\.received).max()
            .map { $0 + Self.answerTime }
    }

    private func seen(_ round: Round) -> Seen {
        round.requests.compactMap { seenByRequest[$0] }.reduce(Seen()) { $0.joined($1) }
    }

    private mutating func set(_ known: Seen, _ round: Round) {
        for request in round.requests { seenByRequest[request] = nil }
        if let newest = round.requests.last { seenByRequest[newest] = known }
    }

    // MARK: Events

    private mutating func check(_ event: RefundTrace) {
        switch event {
        case .asked(let at, let word): asked(word, at: at)
        case .put(let at, let body, let isAccepted, let isRefused): put(body, isAccepted, isRefused, at: at)
        case .died(let at):
            guard let round = rounds(at: at).last else { return }
            var known = seen(round)
            known.deaths += 1
            set(known, round)
        case .accepted(_, let through): acceptances.append(through)
        case .ended(let at, let through, let kind, let clock): ended(kind, through, clock, at: at)
        }
    }

    private mutating func asked(_ word: RefundStory.Service, at moment: Int64) {
        guard let round = rounds(at: moment).last else { return fail("asked without a request", moment) }
        if !round.isWaiting { fail("asked about a round that does not wait", moment) }
        var known = seen(round)
        known.lastAsked = (moment, word)
        switch word {
        case .yes(let percentage):
            if known.firstPut == nil { known.lastYes = (moment, percentage) } else { known.lastYes?.at = moment }
        case .no, .doNotAnswer: known.lastNo = moment
        case .silent, .refuses, .unreadable, .absent: break
        }
        set(known, round)
    }

    private mutating func put(_ body: String, _ isAccepted: Bool, _ isRefused: Bool, at moment: Int64) {
        guard let round = rounds(at: moment).last else { return fail("a PUT without a request", moment) }
        var known = seen(round)
        if !round.isWaiting { fail("a PUT for a round that does not wait", moment) }
        if story.ownership != .purchased { fail("a PUT about a transaction that Apple takes nothing about", moment) }
        guard let until = until(round) else { return fail("a PUT about history", moment) }
        if moment > until + Self.tolerance { fail("a PUT after the end", moment) }
        if known.accepted > known.deaths { fail("a PUT after an accepted one", moment) }
        checkConsent(known, round, body, at: moment, until: until)
        if let first = known.firstPut, moment - first > RefundStory.hour + Self.tolerance {
            checkAskedAgain(known, at: moment, until: until)
        }
        known.bodies.insert(body)
        if known.bodies.count > 1 { fail("two bodies in a round", moment) }
        known.firstPut = known.firstPut ?? moment
        if isAccepted { known.accepted += 1 }
        if isRefused { known.wasRefused = true }
        set(known, round)
    }

    /// Checks that no body is sent without consent. Any refusal overrides any consent.
    private mutating func checkConsent(_ known: Seen, _ round: Round, _ body: String, at moment: Int64, until: Int64) {
        if case .withdrawal = story.recorded(at: moment) { fail("a PUT after a withdrawal", moment) }
        if known.lastNo != nil { fail("a PUT after a no of the service", moment) }
        if !story.fileConsents { fail("a PUT against the rules' no", moment) }
        let isServiced = story.service(at: 0) != .absent
        let rescinded = story.rescindedAt.flatMap { max($0, story.start) <= moment ? $0 : nil }
        guard isServiced else {
            if let rescinded {
                let later = story.recorded.last { $0.at <= moment }
                let isLater = later.map { if case .consent = $0.value { $0.at > rescinded } else { false } } ?? false
                if !isLater { fail("a PUT after RESCIND_CONSENT without a later yes", moment) }
            }
            return
        }
        if let yes = known.lastYes {
            if !body.contains("\"consumptionPercentage\":\(yes.percentage)") {
                fail("a body of another answer", moment)
            }
            if let rescinded, yes.at < rescinded { fail("a PUT after RESCIND_CONSENT without a new question", moment) }
            return
        }
        // The fallback is allowed only without a response of the service, in the last hour.
        let isSilent = known.lastAsked.map { $0.word == .silent } ?? false
        if !story.fallsBack || !isSilent { fail("a PUT with the file's consent although the service spoke", moment) }
        if moment < until - RefundStory.hour - Self.tolerance { fail("the fallback before the last hour", moment) }
    }

    private mutating func checkAskedAgain(_ known: Seen, at moment: Int64, until: Int64) {
        guard story.service(at: 0) != .absent else { return }
        guard let asked = known.lastAsked, moment - asked.at < RefundStory.second else {
            return fail("an old body without a new question", moment)
        }
        if case .yes = asked.word { return }
        let isLast = moment >= until - 2 * RefundStory.minute - Self.tolerance
        if !(asked.word == .silent && isLast && story.fallsBack) { fail("an old body without a new yes", moment) }
    }

    private mutating func ended(_ kind: String, _ through: Int64, _ clock: Int64, at moment: Int64) {
        defer {
            ends.append(through)
            endings.append((moment, through, kind))
        }
        guard let round = rounds(at: moment).last(where: { $0.first <= through }) else {
            return fail("an end of nothing", moment)
        }
        if !round.isWaiting { fail("an end of a round that does not wait", moment) }
        let known = seen(round)
        let all = requests(of: round)
        let isHistory = all.allSatisfy {
            $0.received - $0.signed > 169 * RefundStory.hour
                || max($0.arrives, story.start) - $0.received > Self.answerTime - Self.tolerance
        }
        switch kind {
        case "missed":
            if let until = until(round), moment < until - Self.tolerance { fail("missed before the end", moment) }
            if until(round) == nil { fail("history that is missed", moment) }
        case "too_late": if !isHistory { fail("too late although it was read in time", moment) }
        case "refused": if !known.wasRefused { fail("refused although Apple did not", moment) }
        case "withheld": if !isRefusal(known, at: moment) { fail("withheld although nobody said no", moment) }
        default: fail("an end of kind \(kind)", moment)
        }
    }

    private func isRefusal(_ known: Seen, at moment: Int64) -> Bool {
        if story.ownership != .purchased || known.lastNo != nil || !story.fileConsents { return true }
        if case .withdrawal = story.recorded(at: moment) { return true }
        return story.rescindedAt.map { $0 <= moment } ?? false
    }

    // MARK: End

    private mutating func checkEnd() {
        for round in rounds(at: .max) {
            let isLast = round == rounds(at: .max).last
            if round.isWaiting, isLast { fail("a round that nobody ended", story.end) }
            if !round.isAccepted { checkLiveness(round) }
        }
    }

    /// Checks that a request that could be answered for long enough is answered.
    private mutating func checkLiveness(_ round: Round) {
        guard story.ownership == .purchased, story.fileConsents, story.rescindedAt == nil, let until = until(round)
        else { return }
        // Every other end is caused by an explicit answer, which is checked when it is recorded.
        let missed = endings.first { $0.kind == "missed" && $0.through >= round.first && $0.through <= round.last }
        guard let missed, seen(round).lastNo == nil, !seen(round).wasRefused else { return }
        let begin = requests(of: round).map { max($0.arrives, story.start) }.min() ?? 0
        // Looks for a time before the deadline, twice as long as the longest back-off, during which consent and API are
        // good without interruption.
        var moment = begin
        var goodSince: Int64?
        while moment < min(until, missed.at) - Self.tolerance {
            let isGood = story.api(at: moment) == .accepts && isConsent(at: moment)
            goodSince = isGood ? goodSince ?? moment : nil
            if let since = goodSince, moment - since > 12 * RefundStory.minute {
                return fail("not answered although it could be from \(since) on", moment)
            }
            moment += RefundStory.minute
        }
    }

    private func isConsent(at moment: Int64) -> Bool {
        if case .withdrawal = story.recorded(at: moment) { return false }
        switch story.service(at: moment) {
        case .yes, .absent: return true
        case .no, .doNotAnswer, .silent, .refuses, .unreadable: return false
        }
    }

    private mutating func fail(_ problem: String, _ moment: Int64) { problems.append("\(moment): \(problem)") }
}
