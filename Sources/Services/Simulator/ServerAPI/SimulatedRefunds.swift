package import AppStoreModel
internal import JSON

/// The follow-up to a refund request: the events and their times, `timeScale` times faster than in reality.
///
/// Apple does not document how often it asks, or when and how it decides. Three requests 8 hours apart have been
/// reported; the simulator chooses the rest.
package struct RefundFollowUp: Sendable, Equatable {
    /// The number of CONSUMPTION_REQUESTs in a case without an answer, including the first.
    package var requests = 3
    /// The interval between requests, and between the last request and a decision without an answer.
    package var interval = Duration.hours(8)
    /// The delay between an answer and the decision.
    package var decisionDelay = Duration.hours(4)
    /// Whether the request is repeated even after an answer, as Apple has been observed to do.
    package var repeatsAfterAnswer = false
    /// Whether customers request refunds on Apple's website. If Apple declines such a request, it sends no
    /// notification.
    package var isAtApplesSite = false
    /// The factor by which durations are shortened, at least 1.
    package var timeScale = 1

    package init() {}

    /// How long after the request an answer is accepted in the sandbox, in milliseconds.
    static let sandboxAnswerTime: Int64 = 5 * 60_000

    func scaled(_ duration: Duration) -> Duration { duration / max(timeScale, 1) }
}

/// The App Store's decision.
package enum SimulatedDecision: Sendable, Equatable {
    case declined
    /// A refund of this share, in thousandths of a percent.
    case refunded(percentage: Int64)

    /// Decides after an answer, according to the developer's preference. Without a preference, refunds only if the
    /// content was not delivered.
    ///
    /// - Parameters:
    ///   - transaction: the payload, which determines the remaining share of a subscription's period.
    ///   - now: the current time in milliseconds since 1970.
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

    /// Decides in the sandbox, according to the text in the refund sheet, unless an answer with a consumption
    /// percentage requests a prorated refund.
    ///
    /// - Parameters:
    ///   - information: the answer, or nil if none arrived in time.
    ///   - text: the text that the tester entered under the reason Other.
    init(
        sandbox information: ConsumptionInformation?, text: String?, of transaction: JSONObject?, at now: Int64
    ) {
        if let information, information.preference == .grantProrated, let used = information.consumptionPercentage {
            self = .refunded(percentage: min(max(100_000 - used, 1), 99_999))
            return
        }
        switch text {
        case "DECLINE": self = .declined
        case "GRANT_PRORATED":
            self = .refunded(percentage: min(max(100_000 - Self.elapsed(of: transaction, at: now), 1), 99_999))
        default: self = .refunded(percentage: 100_000)
        }
    }

    /// Returns the elapsed share of a period in thousandths of a percent, or half if there is no period.
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
    /// The text entered in the refund sheet under the reason Other, only in the sandbox.
    let text: String?
    /// Whether the customer requested the refund on Apple's website. If Apple declines such a request, it sends no
    /// notification.
    let isAtApplesSite: Bool
    /// The decision if no answer arrives.
    let unanswered: SimulatedDecision
    /// The time at which the customer asked, in milliseconds since 1970.
    let openedAt: Int64
    /// The number of CONSUMPTION_REQUESTs so far.
    package fileprivate(set) var requests = 0
    /// Whether an answer was accepted before the decision.
    package fileprivate(set) var isAnswered = false
    /// The pending or final decision, or `nil` while it is undetermined.
    package fileprivate(set) var decision: SimulatedDecision?
    /// Whether the decision has been made.
    package fileprivate(set) var isClosed = false
    /// Whether Apple sends no notification about the decision.
    package fileprivate(set) var isSilent = false

    /// The case as one JSON object on one line, without a line feed.
    var line: JSONObject {
        var line = JSONObject()
        line.put("environment", environment.rawValue)
        line.put("transactionId", transactionId.rawValue)
        line.put("consumptionRequestReason", reason.rawValue)
        line.put("requests", Int64(requests))
        line.put("answered", isAnswered)
        guard isClosed, let decision else { return line }
        line.put("decision", isSilent ? "none" : decision.notificationType.rawValue)
        if case .refunded(let percentage) = decision { line.put("revocationPercentage", percentage) }
        return line
    }
}

/// All cases and their next actions, each with a time. Callers pass the current time.
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
        /// Call ``due(_:_:)`` after the given duration.
        case wait(Key, Due, Duration)
        /// Post the decision.
        case decide(Key, SimulatedDecision)
    }

    let rules: RefundFollowUp
    private var cases: [Key: SimulatedRefund] = [:]
    /// The cases, in the order in which they were opened.
    private var order: [Key] = []
    /// Decisions on answers that arrived before their case was opened. The sender opens a case when its post ends, and
    /// the answer may arrive earlier.
    private var early: [Key: SimulatedDecision] = [:]
    private static let maximumEarly = 100_000

    init(_ rules: RefundFollowUp) { self.rules = rules }

    var all: [SimulatedRefund] { order.compactMap { cases[$0] } }
    var openCount: Int { cases.values.count { !$0.isClosed } }

    /// Opens a case for a customer's refund request. Repeating a request while its case is open changes nothing.
    ///
    /// - Parameters:
    ///   - text: the text under the reason Other, used in the sandbox.
    ///   - isAtApplesSite: whether the customer asked on Apple's website, or nil to use the rules' setting.
    ///   - transaction: the payload, which determines the remaining share of a subscription's period.
    ///   - isPosted: whether another component has posted the first CONSUMPTION_REQUEST.
    ///   - now: the current time in milliseconds since 1970.
    mutating func open(
        _ key: Key, _ reason: ConsumptionRequestReason, text: String? = nil, isAtApplesSite: Bool? = nil,
        of transaction: JSONObject? = nil, isPosted: Bool, at now: Int64 = 0
    ) -> [Action] {
        if let known = cases[key] {
            guard known.isClosed else { return [] }
        } else {
            order.append(key)
        }
        let text = reason == .other ? text : nil
        var new = SimulatedRefund(
            environment: key.environment, transactionId: TransactionId(key.transactionId), reason: reason, text: text,
            isAtApplesSite: isAtApplesSite ?? rules.isAtApplesSite,
            unanswered: key.environment == .production
                ? .refunded(percentage: 100_000)
                : SimulatedDecision(sandbox: nil, text: text, of: transaction, at: now), openedAt: now)
        new.requests = 1
        cases[key] = new
        let answer = early.removeValue(forKey: key)
        return (isPosted ? [] : [.request(key, reason)]) + [.wait(key, .repetition, rules.scaled(rules.interval))]
            + (answer.map { answered(key, $0) } ?? [])
    }

    /// Returns the case if it is waiting for a decision, otherwise nil.
    func open(_ key: Key) -> SimulatedRefund? { cases[key].flatMap { $0.isClosed ? nil : $0 } }

    /// Records an accepted answer. Only the first answer before the decision is used. In the sandbox, an answer that
    /// arrives too late is ignored.
    mutating func answered(_ key: Key, _ decision: SimulatedDecision, at now: Int64 = 0) -> [Action] {
        guard let open = cases[key] else {
            if early.count < Self.maximumEarly, early[key] == nil { early[key] = decision }
            return []
        }
        guard !open.isClosed, !open.isAnswered else { return [] }
        let isLate = now - open.openedAt > RefundFollowUp.sandboxAnswerTime / Int64(max(rules.timeScale, 1))
        guard key.environment == .production || !isLate else { return [] }
        cases[key]?.isAnswered = true
        cases[key]?.decision = decision
        return [.wait(key, .decision, rules.scaled(rules.decisionDelay))]
    }

    /// Handles the end of a wait.
    mutating func due(_ key: Key, _ due: Due) -> [Action] {
        guard let open = cases[key], !open.isClosed else { return [] }
        switch due {
        case .decision: return close(key, open.decision ?? open.unanswered)
        case .repetition:
            guard !open.isAnswered || rules.repeatsAfterAnswer else { return [] }
            if open.requests < rules.requests {
                cases[key]?.requests += 1
                return [.request(key, open.reason), .wait(key, .repetition, rules.scaled(rules.interval))]
            }
            return open.isAnswered ? [] : close(key, open.unanswered)
        }
    }

    private mutating func close(_ key: Key, _ decision: SimulatedDecision) -> [Action] {
        let isSilent = cases[key]?.isAtApplesSite == true && decision == .declined
        cases[key]?.decision = decision
        cases[key]?.isClosed = true
        cases[key]?.isSilent = isSilent
        return isSilent ? [] : [.decide(key, decision)]
    }
}
