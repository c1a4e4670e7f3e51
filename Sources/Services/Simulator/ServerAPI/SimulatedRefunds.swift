package import AppStoreModel
internal import JSON

/// What follows a refund request, and when. Durations are Apple's; they pass `timeScale` times faster.
package struct RefundFollowUp: Sendable, Equatable {
    /// How many CONSUMPTION_REQUESTs a case has while no answer comes, the first included.
    package var requests = 3
    /// Between two of them, and between the last and the decision without an answer.
    package var interval = Duration.hours(8)
    /// Between an answer and the decision.
    package var decisionDelay = Duration.hours(4)
    /// Whether the request is also repeated after an answer, which Apple has been seen to do.
    package var repeatsAfterAnswer = false
    /// 1 or more.
    package var timeScale = 1

    package init() {}

    func scaled(_ duration: Duration) -> Duration { duration / max(timeScale, 1) }
}

/// What the App Store decides.
package enum SimulatedDecision: Sendable, Equatable {
    case declined
    /// Milliunits of a percent.
    case refunded(percentage: Int64)

    /// The decision that follows an answer: what the developer prefers; without a preference a refund of what was not
    /// delivered, and none of what was.
    ///
    /// - Parameters:
    ///   - transaction: the decoded payload, for the share of a subscription's period that is left.
    ///   - now: milliseconds since 1970.
    init(_ information: ConsumptionInformation, of transaction: JSONObject?, at now: Int64) {
        switch information.preference {
        case .decline: self = .declined
        case .grantFull: self = .refunded(percentage: 100_000)
        case .grantProrated:
            let used = information.consumptionPercentage ?? Self.elapsed(of: transaction, at: now)
            self = .refunded(percentage: min(max(100_000 - used, 1), 99_999))
        case .none: self = information.isDelivered ? .declined : .refunded(percentage: 100_000)
        }
    }

    /// Milliunits of a percent of a period that have passed; half of it where there is no period.
    private static func elapsed(of transaction: JSONObject?, at now: Int64) -> Int64 {
        guard let begin = transaction?["purchaseDate"]?.integer, let end = transaction?["expiresDate"]?.integer,
            end > begin
        else { return 50_000 }
        let share = Double(now) - Double(begin)
        return Int64(min(max(share / (Double(end) - Double(begin)), 0), 1) * 100_000)
    }

    var notificationType: NotificationType { self == .declined ? .refundDeclined : .refund }
}

/// One customer's request for a refund of one transaction.
package struct SimulatedRefund: Sendable, Equatable {
    package let environment: AppStoreEnvironment
    package let transactionId: TransactionId
    package let reason: ConsumptionRequestReason
    /// CONSUMPTION_REQUESTs so far.
    package fileprivate(set) var requests = 0
    /// Whether an answer was accepted before the decision.
    package fileprivate(set) var isAnswered = false
    /// What follows; `nil` while nothing is known.
    package fileprivate(set) var decision: SimulatedDecision?
    /// Whether the decision was made.
    package fileprivate(set) var isClosed = false

    /// One JSON object on one line, without the line's end.
    var line: JSONObject {
        var line = JSONObject()
        line.put("environment", environment.rawValue)
        line.put("transactionId", transactionId.rawValue)
        line.put("consumptionRequestReason", reason.rawValue)
        line.put("requests", Int64(requests))
        line.put("answered", isAnswered)
        guard isClosed, let decision else { return line }
        line.put("decision", decision.notificationType.rawValue)
        if case .refunded(let percentage) = decision { line.put("revocationPercentage", percentage) }
        return line
    }
}

/// All cases: what is to be done and when. A value without a clock.
struct SimulatedRefunds: Sendable {
    struct Key: Hashable, Sendable {
        let environment: AppStoreEnvironment
        let transactionId: String
    }

    enum Due: Sendable, Equatable {
        case repetition, decision
    }

    enum Action: Sendable, Equatable {
        /// Post a CONSUMPTION_REQUEST.
        case request(Key, ConsumptionRequestReason)
        /// Call ``due(_:_:)`` after so long.
        case wait(Key, Due, Duration)
        /// Post the decision.
        case decide(Key, SimulatedDecision)
    }

    let rules: RefundFollowUp
    private var cases: [Key: SimulatedRefund] = [:]
    /// In the order of opening.
    private var order: [Key] = []
    /// Decisions on answers that came before their case was opened: whoever posts the request opens the case when the
    /// post has ended, and the answer may be faster.
    private var early: [Key: SimulatedDecision] = [:]
    private static let maximumEarly = 100_000

    init(_ rules: RefundFollowUp) { self.rules = rules }

    var all: [SimulatedRefund] { order.compactMap { cases[$0] } }
    var openCount: Int { cases.values.count { !$0.isClosed } }

    /// A customer asks for a refund. Asking again while the case is open changes nothing.
    ///
    /// - Parameter isPosted: the first CONSUMPTION_REQUEST was posted by someone else.
    mutating func open(_ key: Key, _ reason: ConsumptionRequestReason, isPosted: Bool) -> [Action] {
        if let known = cases[key] {
            guard known.isClosed else { return [] }
        } else {
            order.append(key)
        }
        var new = SimulatedRefund(
            environment: key.environment, transactionId: TransactionId(key.transactionId), reason: reason)
        new.requests = 1
        cases[key] = new
        let answer = early.removeValue(forKey: key)
        return (isPosted ? [] : [.request(key, reason)]) + [.wait(key, .repetition, rules.scaled(rules.interval))]
            + (answer.map { answered(key, $0) } ?? [])
    }

    /// An answer was accepted. The first one counts.
    mutating func answered(_ key: Key, _ decision: SimulatedDecision) -> [Action] {
        guard let open = cases[key] else {
            if early.count < Self.maximumEarly, early[key] == nil { early[key] = decision }
            return []
        }
        guard !open.isClosed, !open.isAnswered else { return [] }
        cases[key]?.isAnswered = true
        cases[key]?.decision = decision
        return [.wait(key, .decision, rules.scaled(rules.decisionDelay))]
    }

    /// The time that was waited for has come.
    mutating func due(_ key: Key, _ due: Due) -> [Action] {
        guard let open = cases[key], !open.isClosed else { return [] }
        switch due {
        case .decision: return close(key, open.decision ?? .refunded(percentage: 100_000))
        case .repetition:
            guard !open.isAnswered || rules.repeatsAfterAnswer else { return [] }
            if open.requests < rules.requests {
                cases[key]?.requests += 1
                return [.request(key, open.reason), .wait(key, .repetition, rules.scaled(rules.interval))]
            }
            return open.isAnswered ? [] : close(key, .refunded(percentage: 100_000))
        }
    }

    private mutating func close(_ key: Key, _ decision: SimulatedDecision) -> [Action] {
        cases[key]?.decision = decision
        cases[key]?.isClosed = true
        return [.decide(key, decision)]
    }
}
