import EntitlementRules
import Testing

@Suite struct AccessOracleTests {
    @Test(arguments: OracleCase.billing + OracleCase.refunds + OracleCase.seats + OracleCase.commitments)
    func `the oracle computes access in a documented situation`(_ situation: OracleCase) {
        for (date, expected) in situation.expected {
            let moment = Int64(date * 86_400_000)
            let answer = AccessOracle(situation.statements, asOf: moment).answer(at: moment)
            let text = answer.map(String.init) ?? "nothing"
            #expect(text.hasPrefix(expected), "day \(date): \(text)")
        }
    }

    @Test(arguments: PastCase.all)
    func `a time in the past is evaluated from the facts signed by then`(_ past: PastCase) throws {
        let oracle = AccessOracle(past.statements, asOf: past.moment).answer(at: past.moment)
        #expect(oracle.map(String.init) == past.expected)
        let answers = StoryAnswers(story: Self.story(past.statements))
        let (answer, since) = answers.answer(
            try answers.purchase(past.statements), at: past.moment, view: .history)
        #expect(answer.map(String.init) == past.expected)
        #expect((since != nil) == past.isUnknown)
    }

    @Test func `a refund of an earlier period with status 5 does not affect the leeway of a late renewal`() throws {
        let refund = AppleStatement.told("REFUND", on: 40, 5, OracleCase.first.refunded(on: 40)) {
            $0.renewalDate = 60 * day
        }
        let statements = [OracleCase.bought, OracleCase.renewed, refund]
        let moment = 60 * day + hour / 2
        let answers = StoryAnswers(story: Self.story(statements))
        let answer = answers.answer(try answers.purchase(statements), at: moment, view: .newestFacts).answer
        #expect(AccessOracle(statements).answer(at: moment).map(String.init) == "yes RENEWING basic, 1 seats")
        #expect(answer.map(String.init) == "yes RENEWING basic, 1 seats")
    }

    @Test func `an answer that ignores a refund is reported with the history and both answers`() throws {
        let refund = AppleStatement.told("REFUND", on: 18, 5, OracleCase.first.refunded(on: 18))
        let story = Self.story([OracleCase.bought, refund])
        let comparison = AccessComparison(story: story)
        let oracle = AccessOracle(story.statements, settings: story.settings)
        let answers = StoryAnswers(story: story)
        let right = try answers.purchase(story.statements)
        let wrong = try answers.purchase([OracleCase.bought])
        #expect(comparison.compare(oracle, right, 19 * day, .newestFacts) == nil)
        let difference = try #require(comparison.compare(oracle, wrong, 19 * day, .newestFacts))
        for text in ["seed 7", "d19.0", "no REVOKED basic", "yes ACTIVE basic until d30.0", "REFUND signed d18.0"] {
            #expect(difference.description.contains(text))
        }
    }

    private static func story(_ statements: [AppleStatement]) -> AccessStory {
        AccessStory(
            seed: 7, kind: .subscription, settings: AccessSettings(),
            deliveries: statements.map { AccessStory.Delivery(received: $0.signed, statement: $0) }, moments: [])
    }
}
