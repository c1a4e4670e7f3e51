/// Which account plays which scenario: run n is scenario n, n+1, … in turn, played by account n, n+1, … in turn.
///
/// Every notification follows from its run's number and its step's number, so it can be made when it is needed, as
/// often as it is needed, and in any order.
package struct ScenarioSeries: Sendable {
    package let scenarios: [Scenario]
    /// How many customers there are; `nil` gives every run a customer of its own.
    package let accounts: Int?
    package let app: SimulatedApp
    package let seed: UInt64
    /// When the runs end, in milliseconds since 1970; each ends up to six hours before, so that they differ.
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

    /// The scenario that this run plays.
    package func scenario(of run: Int) -> Scenario {
        scenarios[run % scenarios.count]
    }

    /// All notifications of a run, in the order of their signing.
    package func notifications(of run: Int) -> [UnsignedNotification] {
        play(run, only: nil)
    }

    /// One notification; `nil` when the run has no such step.
    package func notification(of run: Int, step: Int) -> UnsignedNotification? {
        play(run, only: step).first
    }

    private func play(_ run: Int, only step: Int?) -> [UnsignedNotification] {
        var generator = SeededGenerator(seed: seed, purpose: "end/\(run)")
        let end = end - Int64.random(in: 0..<6 * 3_600_000, using: &generator)
        return ScenarioPlayer.notifications(
            of: scenario(of: run), run: run,
            account: Account(number: accounts.map { run % $0 } ?? run, seed: seed), app: app, seed: seed,
            endingAt: end, only: step)
    }
}
