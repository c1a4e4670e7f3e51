import EntitlementRules

/// What was compared, and how often.
struct AccessTally {
    var states: [String: Int] = [:]
    var past = 0
    var knownPast = 0
}

/// Compares the rules with the oracle over one story.
struct AccessComparison {
    let story: AccessStory

    struct Difference: CustomStringConvertible {
        let story: AccessStory
        let question: String
        let moment: Int64
        let expected: AccessAnswer?
        let answer: AccessAnswer?

        var description: String {
            """
            \(question) at \(days(moment)): the specification says \(expected.map(String.init) ?? "nothing"), \
            the rules say \(answer.map(String.init) ?? "nothing")
            \(story)
            """
        }
    }

    func differences(_ tally: inout AccessTally) throws -> [Difference] {
        let statements = story.statements
        let purchase = try StoryAnswers(story: story).purchase(statements)
        var differences: [Difference] = []
        for moment in story.moments {
            let received = story.statements(receivedBy: moment)
            let present = try StoryAnswers(story: story).purchase(received)
            differences +=
                compare(AccessOracle(received, settings: story.settings), present, moment, .newestFacts)
                .map { [$0] } ?? []
            let oracle = AccessOracle(statements, asOf: moment, settings: story.settings)
            tally.states[oracle.answer(at: moment)?.state ?? "none", default: 0] += 1
            let since = StoryAnswers(story: story).answer(purchase, at: moment, view: .history).knownSince
            tally.past += 1
            if let since, since > moment { continue }
            tally.knownPast += 1
            differences += compare(oracle, purchase, moment, .history).map { [$0] } ?? []
        }
        return differences
    }

    func compare(
        _ oracle: AccessOracle, _ purchase: PurchaseFacts, _ moment: Int64, _ view: EntitlementAnswer.View
    ) -> Difference? {
        let expected = oracle.answer(at: moment)
        let answer = StoryAnswers(story: story).answer(purchase, at: moment, view: view).answer
        guard !oracle.isUndecided, expected != answer else { return nil }
        let question = view == .history ? "looking back" : "at the time"
        return Difference(
            story: story, question: question, moment: moment, expected: expected, answer: answer)
    }
}
