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
    /// Version 1 receipts have at least so many transactions.
    package let receiptTransactions: Int
    /// What each scenario makes the App Store send, in order.
    private let messages: [[SeriesMessage]]

    /// `nil` with fewer than one account, and without a scenario of which any of the formats tells.
    ///
    /// - Parameters:
    ///   - formats: each step is sent in each of them in which the App Store sends it.
    ///   - receiptTransactions: version 1 receipts have at least so many transactions; purchases from before the scenario
    ///     are added to them.
    package init?(
        scenarios: [Scenario], accounts: Int? = nil, app: SimulatedApp, seed: UInt64, endingAt end: Int64,
        formats: Set<NotificationFormat> = [.v2], receiptTransactions: Int = 0
    ) {
        let told = scenarios.map { ($0, SeriesMessage.all(of: $0, app: app, formats)) }.filter { !$0.1.isEmpty }
        guard !told.isEmpty, accounts.map({ $0 > 0 }) ?? true else { return nil }
        self.scenarios = told.map(\.0)
        messages = told.map(\.1)
        self.accounts = accounts
        self.app = app
        self.seed = seed
        self.end = end
        self.receiptTransactions = receiptTransactions
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

    /// What a run makes the App Store send in a form before version 2, in the order of sending.
    ///
    /// - Parameter step: the only step of the run; `nil` gives all.
    package func legacyBodies(
        of run: Int, step: Int? = nil, _ format: NotificationFormat
    ) -> [UnsignedLegacyBody] {
        var bodies: [UnsignedLegacyBody] = []
        ScenarioPlayer.play(
            scenario(of: run), run: run, account: account(of: run), app: app, seed: seed, endingAt: end(of: run)
        ) { player, played in
            guard step == nil || step == played.number else { return }
            bodies += player.legacyBodies(of: played.event, format, receiptTransactions: receiptTransactions)
        }
        return bodies
    }

    /// What each scenario makes the App Store send, scenario by scenario.
    var messageCounts: [Int] { messages.map(\.count) }

    /// What a run makes the App Store send as its message of that number; `nil` when it sends fewer.
    func message(_ number: Int, of run: Int) -> SeriesMessage? {
        let all = messages[run % messages.count]
        return all.indices.contains(number) ? all[number] : nil
    }

    private func play(_ run: Int, only step: Int?) -> [UnsignedNotification] {
        ScenarioPlayer.notifications(
            of: scenario(of: run), run: run, account: account(of: run), app: app, seed: seed, endingAt: end(of: run),
            only: step)
    }

    private func account(of run: Int) -> Account { Account(number: accounts.map { run % $0 } ?? run, seed: seed) }

    private func end(of run: Int) -> Int64 {
        var generator = SeededGenerator(seed: seed, purpose: "end/\(run)")
        return end - Int64.random(in: 0..<6 * 3_600_000, using: &generator)
    }
}
