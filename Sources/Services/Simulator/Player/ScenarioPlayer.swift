/// Plays a scenario for one account and yields what the App Store would send.
///
/// A function of its inputs: the same seed, run number, app and end give the same texts, byte for byte.
/// Times are laid out so that the last notification is signed at the end given, and all others before.
struct ScenarioPlayer {
    let scenario: Scenario
    let app: SimulatedApp
    let account: Account
    let run: Int
    var generator: SeededGenerator

    /// Time of the current step, in milliseconds since 1970.
    var now: Int64 = 0
    /// The current transaction; before the first purchase there is none.
    var transaction: Transaction?
    /// The transaction before the current one.
    var former: Transaction?
    /// Only auto-renewable subscriptions have one.
    var renewal: Renewal?
    /// The transaction that the step's notification is about, where it is not the current one.
    var subject: Transaction?
    private var transactions: Int64 = 0

    private init(_ scenario: Scenario, run: Int, account: Account, app: SimulatedApp, seed: UInt64) {
        self.scenario = scenario
        self.app = app
        self.account = account
        self.run = run
        generator = SeededGenerator(seed: seed, purpose: "run/\(run)")
    }

    /// The notifications of one run, in the order of their signing.
    ///
    /// - Parameters:
    ///   - run: number of the run; every number has transaction ids of its own.
    ///   - end: when the last notification is signed, in milliseconds since 1970.
    ///   - step: the number of the only step to write down; `nil` writes all.
    static func notifications(
        of scenario: Scenario, run: Int, account: Account, app: SimulatedApp, seed: UInt64, endingAt end: Int64,
        only step: Int? = nil
    ) -> [UnsignedNotification] {
        let player = ScenarioPlayer(scenario, run: run, account: account, app: app, seed: seed)
        // The scenario is played twice: how long it lasts is known only at its end.
        var first = player
        _ = first.play(from: 0) { _ in false }
        var second = player
        return second.play(from: end - first.now) { step == nil || step == $0 }
    }

    private mutating func play(from start: Int64, isWritten: (Int) -> Bool) -> [UnsignedNotification] {
        now = start
        var notifications: [UnsignedNotification] = []
        for (index, step) in scenario.steps.enumerated() {
            if index > 0 {
                now = max(moment(of: step), now + 1000)
            }
            subject = nil
            apply(step.event)
            let (high, low) = (generator.next(), generator.next())
            if isWritten(index) {
                let notificationUUID = SeededGenerator.uuidText(high, low)
                notifications.append(notification(of: step.event, notificationUUID: notificationUUID))
            }
        }
        return notifications
    }

    /// When a step happens, with the seconds to hours by which real notifications miss the round figure.
    private mutating func moment(of step: Scenario.Step) -> Int64 {
        let expiry = transaction?.expiresDate ?? now
        switch step.moment {
        case .after(let delay):
            return now + delay.milliseconds + Int64.random(in: 0..<30_000, using: &generator)
        case .atExpiry where step.event == .renews:
            // The App Store renews ahead of the end of the period.
            return expiry - Int64.random(in: 0..<6 * 3_600_000, using: &generator)
        case .atExpiry:
            return expiry + Int64.random(in: 0..<60_000, using: &generator)
        case .beforeExpiry(let delay):
            return expiry - delay.milliseconds + Int64.random(in: 0..<60_000, using: &generator)
        case .afterExpiry(let delay):
            return expiry + delay.milliseconds + Int64.random(in: 0..<60_000, using: &generator)
        case .atGraceEnd:
            return (renewal?.gracePeriodExpiresDate ?? now) + Int64.random(in: 0..<60_000, using: &generator)
        case .atRetryEnd:
            return expiry + Duration.days(60).milliseconds + Int64.random(in: 0..<60_000, using: &generator)
        }
    }

    /// A new transaction id: 15 digits, ascending inside the run, different in every run of a seed.
    mutating func nextTransactionId() -> String {
        transactions += 1
        return String(200_000_000_000_000 + runNumber * 1000 + transactions)
    }

    /// The `webOrderLineItemId` of the transaction made last.
    func webOrderLineItemId() -> String {
        String(500_000_000_000_000 + runNumber * 1000 + transactions)
    }

    /// The run's number scattered over nine digits; multiplication by a number prime to 10 keeps them apart.
    private var runNumber: Int64 {
        Int64(run % 1_000_000_000) * 387_420_489 % 1_000_000_000
    }
}
