/// The events around one transaction: Apple, the customer, the company's service and our own machines. Plain values in
/// milliseconds of true time, starting at 0. It uses no code under test.
struct RefundStory: Sendable {
    static let second: Int64 = 1_000
    static let minute: Int64 = 60_000
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    /// A CONSUMPTION_REQUEST.
    struct Request: Sendable {
        let uuid: String
        let signed: Int64
        /// By the ingress's clock.
        let received: Int64
        /// When our consumer reads the request.
        let arrives: Int64
    }

    enum Decision: String, CaseIterable, Sendable {
        case refund, declined, reversed, seats
    }

    struct Verdict: Sendable {
        let decision: Decision
        let signed: Int64
        let arrives: Int64
    }

    /// The company's service.
    enum Service: Equatable, Sendable {
        case yes(Int)
        case no, doNotAnswer, silent, refuses, unreadable
        /// No service is configured.
        case absent
    }

    /// Apple's endpoint for consumption information.
    enum API: Equatable, Sendable {
        case accepts, fails, notFound, refusesBody
        case rateLimits(until: Int64)
    }

    enum Ownership: CaseIterable, Sendable {
        case purchased, family, assigned
    }

    /// A value that applies from a certain time on.
    struct Change<Value: Sendable>: Sendable {
        let at: Int64
        let value: Value
    }

    /// The company's record for the customer.
    enum Recorded: Sendable {
        case nothing, consent, withdrawal
    }

    var requests: [Request] = []
    var verdicts: [Verdict] = []
    var ownership = Ownership.purchased
    var service: [Change<Service>] = [Change(at: 0, value: .absent)]
    var api: [Change<API>] = [Change(at: 0, value: .accepts)]
    var recorded: [Change<Recorded>] = [Change(at: 0, value: .nothing)]
    /// When RESCIND_CONSENT was signed. It is read immediately.
    var rescindedAt: Int64?
    /// Whether the rules file declares consent for every customer.
    var fileConsents = true
    /// Whether `refunds.fallback=rules` is set.
    var fallsBack = false
    /// Clock errors of the ingress and of each process, within a minute of true time.
    var clockErrors: [Int64] = [0]
    /// Probability in percent that a process dies after Apple's acceptance and before it is recorded.
    var deathsAfterAcceptance = 0
    var start: Int64 = 0

    static func value<Value>(_ changes: [Change<Value>], at moment: Int64) -> Value? {
        changes.last { $0.at <= moment }?.value ?? changes.first?.value
    }

    func service(at moment: Int64) -> Service { Self.value(service, at: moment) ?? .absent }
    func api(at moment: Int64) -> API { Self.value(api, at: moment) ?? .accepts }
    func recorded(at moment: Int64) -> Recorded { Self.value(recorded, at: moment) ?? .nothing }

    var end: Int64 {
        (requests.map(\.arrives) + verdicts.map(\.arrives) + [start]).reduce(0, max) + 13 * Self.hour + Self.minute
    }
}

extension RefundStory {
    /// Returns a random story in which every case of app-store.md 10.7 occurs often.
    static func random(_ random: inout some RandomNumberGenerator) -> RefundStory {
        var story = RefundStory()
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        func time(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
        story.clockErrors = (0..<8).map { _ in chance(50) ? 0 : time(-minute...minute) }
        var signed: Int64 = minute
        for number in 0..<Int.random(in: 1...4, using: &random) {
            if number > 0 {
                signed +=
                    [time(minute...2 * hour), 8 * hour, time(60 * hour...80 * hour), time(hour...9 * day)]
                    .randomElement(using: &random) ?? hour
            }
            let delay =
                chance(75)
                ? time(0...3 * second)
                : [time(hour...13 * hour), time(13 * hour...180 * hour)].randomElement(using: &random) ?? 0
            let received = signed + delay
            let arrives = received + (chance(85) ? 100 : time(0...14 * hour))
            story.requests.append(
                Request(uuid: "q\(number)", signed: signed, received: received + story.clockErrors[0], arrives: arrives)
            )
            if chance(35) {
                let decided = signed + time(second...50 * hour)
                story.verdicts.append(
                    Verdict(
                        decision: Decision.allCases.randomElement(using: &random) ?? .refund, signed: decided,
                        arrives: decided + (chance(80) ? 200 : time(0...5 * hour))))
            }
        }
        story.ownership = chance(94) ? .purchased : Ownership.allCases.randomElement(using: &random) ?? .family
        if chance(60) { story.addService(&random) }
        story.fallsBack = chance(50)
        story.fileConsents = chance(70)
        if chance(30) { story.addFailures(&random) }
        if chance(25) {
            let moment = time(0...signed + 2 * hour)
            story.recorded.append(Change(at: moment, value: chance(70) ? .withdrawal : .consent))
            if chance(40) { story.recorded.append(Change(at: moment + time(minute...day), value: .consent)) }
        }
        if chance(12) { story.rescindedAt = time(0...signed + hour) }
        story.deathsAfterAcceptance = chance(20) ? 40 : 0
        if chance(10) { story.start = signed + time(0...14 * hour) }
        return story
    }

    private mutating func addService(_ random: inout some RandomNumberGenerator) {
        func word(_ random: inout some RandomNumberGenerator) -> Service {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<55: .yes(Int.random(in: 1...99, using: &random) * 1_000)
            case 55..<68: .no
            case 68..<73: .doNotAnswer
            case 73..<85: .silent
            case 85..<93: .refuses
            default: .unreadable
            }
        }
        service = [Change(at: 0, value: word(&random))]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let from = requests.randomElement(using: &random)?.arrives ?? 0
            service.append(
                Change(
                    at: max(0, from + Int64.random(in: -Self.hour...13 * Self.hour, using: &random)),
                    value: word(&random)))
        }
        service.sort { $0.at < $1.at }
    }

    private mutating func addFailures(_ random: inout some RandomNumberGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let from =
                (requests.randomElement(using: &random)?.arrives ?? 0)
                + Int64.random(in: -Self.minute...Self.minute, using: &random)
            let length = Int64.random(in: Self.second...13 * Self.hour, using: &random)
            let failure: API =
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6: .fails
                case 6..<8: .notFound
                case 8: .rateLimits(until: from + min(length, Self.hour))
                default: .refusesBody
                }
            api.append(Change(at: max(0, from), value: failure))
            api.append(Change(at: max(0, from) + length, value: .accepts))
        }
        api.sort { $0.at < $1.at }
    }
}

/// The actions of the service under test, in order of true time.
enum RefundTrace: Sendable {
    case asked(at: Int64, RefundStory.Service)
    case put(at: Int64, body: String, isAccepted: Bool, isRefused: Bool)
    /// The process died, and another one continues with another clock.
    case died(at: Int64)
    /// An acceptance was recorded.
    case accepted(at: Int64, through: Int64)
    case ended(at: Int64, through: Int64, kind: String, clock: Int64)
}
