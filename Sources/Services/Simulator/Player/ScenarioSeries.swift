/// Assigns scenarios and accounts to runs: run n plays scenario n modulo the number of scenarios, for account n modulo
/// the number of accounts.
///
/// The run and step numbers determine a notification completely, so notifications can be created on demand, repeatedly
/// and in any order.
package struct ScenarioSeries: Sendable {
    package let scenarios: [Scenario]
    /// The number of customers, or `nil` for one customer per run.
    package let accounts: Int?
    package let app: SimulatedApp
    package let seed: UInt64
    /// The time at which the runs end, in milliseconds since 1970. Each run ends at most six hours before this time, so
    /// that the runs end at different times.
    package let end: Int64
    /// The minimum number of transactions in a version 1 receipt.
    package let receiptTransactions: Int
    /// The messages that the App Store sends for each scenario, in order.
    private let messages: [[SeriesMessage]]

    /// Returns `nil` if `accounts` is less than 1, or if no scenario is sent in any of the formats.
    ///
    /// - Parameters:
    ///   - formats: the formats in which each step is sent, excluding formats that the App Store does not use for the
    ///     step.
    ///   - receiptTransactions: the minimum number of transactions in a version 1 receipt; earlier purchases are added
    ///     to reach it.
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

    /// Returns the scenario played in a run.
    package func scenario(of run: Int) -> Scenario {
        scenarios[run % scenarios.count]
    }

    /// Returns all notifications of a run, in the order in which they are signed.
    package func notifications(of run: Int) -> [UnsignedNotification] {
        play(run, only: nil)
    }

    /// Returns one notification, or `nil` if the run does not have this step.
    package func notification(of run: Int, step: Int) -> UnsignedNotification? {
        play(run, only: step).first
    }

    /// Returns the bodies that the App Store sends for a run in a format before version 2, in sending order.
    ///
    /// - Parameter step: the only step to return, or `nil` for all.
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

    /// The number of messages in each scenario.
    var messageCounts: [Int] { messages.map(\.count) }

    /// Returns a run's message by index, or `nil` if the run has fewer messages.
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
