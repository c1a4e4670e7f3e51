import AppStoreModel
import EntitlementRules
import JSON

/// Compares the rules with the oracle for a version 1 story, at each of its times and under every policy.
struct LegacyComparison {
    let story: LegacyStory

    struct Tally {
        /// The number of times at which version 1 determined the answer under `accept`.
        var decided = 0
        var states: [String: Int] = [:]
    }

    struct Difference: CustomStringConvertible {
        let story: LegacyStory
        let question: String
        let moment: Int64
        let expected: [AccessAnswer?]
        let answer: AccessAnswer?

        var description: String {
            let allowed = expected.map { $0.map(String.init) ?? "nothing" }.joined(separator: " or ")
            return """
                \(question) at \(days(moment)): the specification says \(allowed), \
                the rules say \(answer.map(String.init) ?? "nothing")
                \(story)
                """
        }
    }

    private enum Event {
        case statement(AppleStatement)
        case body(StatedBody)
        case question(Int)
        case answer(Int)
    }

    func differences(_ tally: inout Tally) throws -> [Difference] {
        guard !story.isUndecided else { return [] }
        var run = Run()
        var events = timeline[...]
        var differences: [Difference] = []
        for moment in story.moments {
            while let (time, event) = events.first, time <= moment {
                events.removeFirst()
                try apply(event, to: &run)
            }
            let stored = try PurchaseFacts(json: run.facts.jsonText)
            differences += compare(stored, at: moment, &tally)
        }
        return differences
    }

    // MARK: Input of the rules

    private struct Run {
        var facts = PurchaseFacts(
            environment: .production, bundleId: BundleId("com.example"),
            originalTransactionId: OriginalTransactionId("1"))
        var questions: [Int: [LegacyFactId]] = [:]
    }

    /// Events in order. Bodies precede queries at the same time.
    private var timeline: [(Int64, Event)] {
        var events = story.bodies.map { ($0.received, Event.body($0)) }
        events += story.deliveries.map { ($0.received, .statement($0.statement)) }
        for (index, confirmation) in story.confirmations.enumerated() {
            events.append((confirmation.asked, .question(index)))
            events.append((confirmation.received, .answer(index)))
        }
        return events.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element)
    }

    private func apply(_ event: Event, to run: inout Run) throws {
        switch event {
        case .statement(let statement): if let facts = try statement.facts() { run.facts.merge(facts) }
        case .body(let body): if let facts = try body.facts() { run.facts.merge(facts) }
        case .question(let index): run.questions[index] = run.facts.answeredLegacyIds
        case .answer(let index):
            for statement in story.confirmations[index].statements {
                if let facts = try statement.facts() { run.facts.merge(facts) }
            }
            run.facts.settleLegacy(run.questions[index] ?? [])
        }
    }

    // MARK: Answers

    private func compare(_ facts: PurchaseFacts, at moment: Int64, _ tally: inout Tally) -> [Difference] {
        let oracle = story.oracle(at: moment)
        guard !oracle.isReversedUntold else { return [] }
        let bySignature = oracle.bySignature
        let signed = bySignature.answer(at: moment)
        func difference(_ question: String, _ expected: [AccessAnswer?], _ answer: AccessAnswer?) -> [Difference] {
            if bySignature.isUndecided || expected.map(\.withoutSeats).contains(answer.withoutSeats) { return [] }
            return [
                Difference(story: story, question: question, moment: moment, expected: expected, answer: answer)
            ]
        }
        var differences = difference("observed", [signed], answer(facts, .observe, at: moment))
        let waiting = answer(facts, .confirm, at: moment)
        if signed == nil {
            // The purchase is listed but grants nothing.
            if waiting?.isEntitled == true { differences += difference("to be confirmed", [nil], waiting) }
        } else {
            differences += difference("to be confirmed", [signed], waiting)
        }
        let variants = oracle.accepted(at: moment)
        guard !variants.contains(where: \.isUndecided) else { return differences }
        let expected = variants.map { $0.answer(at: moment) }
        let accepted = answer(facts, .accept, at: moment)
        differences += difference("accepted", expected, accepted)
        if !expected.map(\.withoutSeats).contains(signed.withoutSeats) {
            tally.decided += 1
            tally.states[accepted?.state ?? "none", default: 0] += 1
            if facts.legacyQuestion == nil { differences += difference("never queried", [signed], accepted) }
        }
        return differences
    }

    private func answer(_ facts: PurchaseFacts, _ trust: LegacyTrust, at moment: Int64) -> AccessAnswer? {
        let story = AccessStory(
            seed: story.seed, kind: .subscription, settings: story.settings, deliveries: [], moments: [])
        return StoryAnswers(story: story, trust: trust).answer(facts, at: moment, view: .newestFacts).answer
    }
}

extension AccessAnswer? {
    /// The answer without seats, which version 1 does not contain.
    fileprivate var withoutSeats: AccessAnswer? {
        var copy = self
        copy?.seats = nil
        return copy
    }
}

extension StatedBody {
    /// Returns the facts that a consumer derives from the record.
    func facts() throws -> PurchaseFacts? {
        var renewal = renewal.json
        renewal["renewalDate"] = nil
        renewal["signedDate"] = nil
        var transaction = transaction.json
        transaction["signedDate"] = nil
        transaction["transactionReason"] = nil
        return try Notification(
            NotificationType(rawValue: type), subtype.map { Subtype(rawValue: $0) }, signed: date,
            uuid: "\(received)-\(type)", transaction: transaction, renewalInfo: renewal
        ).facts(isSigned: false, received: received)
    }
}
