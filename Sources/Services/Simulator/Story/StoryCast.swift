/// Which account plays which scenario: story n is scenario n, n+1, … in turn, played by account n, n+1, … in turn.
///
/// Every notification follows from its story's number and its step's number, so it can be made when it is needed, as
/// often as it is needed, and in any order.
package struct StoryCast: Sendable {
    package let scenarios: [Scenario]
    /// How many customers there are; `nil` gives every story a customer of its own.
    package let accounts: Int?
    package let app: SimulatedApp
    package let seed: UInt64
    /// When the stories end, in milliseconds since 1970; each ends up to six hours before, so that they differ.
    package let end: Int64

    /// `nil` without a scenario or with fewer than one account.
    package init?(scenarios: [Scenario], accounts: Int? = nil, app: SimulatedApp, seed: UInt64, endingAt end: Int64) {
        guard !scenarios.isEmpty, accounts.map({ $0 > 0 }) ?? true else { return nil }
        self.scenarios = scenarios
        self.accounts = accounts
        self.app = app
        self.seed = seed
        self.end = end
    }

    /// The scenario that this story plays.
    package func scenario(of story: Int) -> Scenario {
        scenarios[story % scenarios.count]
    }

    /// All notifications of a story, in the order of their signing.
    package func notifications(of story: Int) -> [StoryNotification] {
        tell(story, only: nil)
    }

    /// One notification; `nil` when the story has no such step.
    package func notification(of story: Int, step: Int) -> StoryNotification? {
        tell(story, only: step).first
    }

    private func tell(_ story: Int, only step: Int?) -> [StoryNotification] {
        var generator = SeededGenerator(seed: seed, purpose: "end/\(story)")
        let end = end - Int64.random(in: 0..<6 * 3_600_000, using: &generator)
        return Storyteller.notifications(
            of: scenario(of: story), story: story,
            account: Account(number: accounts.map { story % $0 } ?? story, seed: seed), app: app, seed: seed,
            endingAt: end, only: step)
    }
}
