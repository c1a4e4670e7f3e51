import EntitlementRules

/// The number of comparisons by kind.
struct AccessTally {
    var states: [String: Int] = [:]
    var past = 0
    var knownPast = 0
}

/// Compares the rules with the oracle for one story.
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
        let answers = StoryAnswers(story: story)
        let purchase = try answers.purchase()
        var differences: [Difference] = []
        for moment in story.moments {
            let received = story.statements(receivedBy: moment)
            let present = try answers.purchase(received)
            differences +=
                compare(AccessOracle(received, settings: story.settings), present, moment, .newestFacts)
                .map { [$0] } ?? []
            let oracle = AccessOracle(statements, asOf: moment, settings: story.settings)
            tally.states[oracle.answer(at: moment)?.state ?? "none", default: 0] += 1
            let since = answers.answer(purchase, at: moment, view: .history).knownSince
            if let difference = compareAccount(AccessOracle(statements), purchase, moment) {
                differences.append(difference)
            }
            tally.past += 1
            if let since, since > moment { continue }
            tally.knownPast += 1
            differences += compare(oracle, purchase, moment, .history).map { [$0] } ?? []
        }
        return differences
    }

    /// Compares the owner, except before the purchase, within ten minutes of a claim (clocks may differ), and after
    /// more purchases than are stored.
    private func compareAccount(_ oracle: AccessOracle, _ purchase: PurchaseFacts, _ moment: Int64) -> Difference? {
        let isNearClaim = story.claim.map { abs($0.claimed - moment) < 10 * minute } ?? false
        if moment < 0 || isNearClaim || oracle.transactions.filter({ !$0.isRenewal }).count > 4 { return nil }
        let expected = oracle.account(at: moment, story.claim)
        let account = StoryAnswers.owner(of: purchase, at: moment)
        guard expected.map(StoryAnswers.token) != account else { return nil }
        return Difference(
            story: story, question: "owner \(expected ?? "-") is \(account?.suffix(1) ?? "-")", moment: moment,
            expected: nil, answer: nil)
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
