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
    /// Every transaction of the run as it is now, oldest first.
    private(set) var receipt: [Transaction] = []
    /// When renewal was last turned on or off, or an upgrade told so.
    var renewalStatusChangeDate: Int64?
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
        var notifications: [UnsignedNotification] = []
        play(scenario, run: run, account: account, app: app, seed: seed, endingAt: end) { player, played in
            guard step == nil || step == played.number else { return }
            notifications.append(player.notification(of: played.event, notificationUUID: played.notificationUUID))
        }
        return notifications
    }

    /// Plays one run as ``notifications(of:run:account:app:seed:endingAt:only:)`` does.
    ///
    /// - Parameter visit: gets the facts as they are after each step.
    static func play(
        _ scenario: Scenario, run: Int, account: Account, app: SimulatedApp, seed: UInt64, endingAt end: Int64,
        visit: (ScenarioPlayer, PlayedStep) -> Void
    ) {
        let player = ScenarioPlayer(scenario, run: run, account: account, app: app, seed: seed)
        // The scenario is played twice: how long it lasts is known only at its end.
        var first = player
        first.play(from: 0) { _, _ in }
        var second = player
        second.play(from: end - first.now, visit: visit)
    }

    /// A step that has happened.
    struct PlayedStep {
        /// Of the scenario, from 0.
        let number: Int
        let event: ScenarioEvent
        fileprivate let high: UInt64
        fileprivate let low: UInt64

        var notificationUUID: String { SeededGenerator.uuidText(high, low) }
    }

    private mutating func play(from start: Int64, visit: (ScenarioPlayer, PlayedStep) -> Void) {
        now = start
        for (index, step) in scenario.steps.enumerated() {
            if index > 0 {
                now = max(moment(of: step), now + 1000)
            }
            subject = nil
            let renewedBefore = renewal?.renewsAutomatically
            apply(step.event)
            if let renewedBefore, renewal?.renewsAutomatically != renewedBefore { renewalStatusChangeDate = now }
            noteTransactions()
            visit(self, PlayedStep(number: index, event: step.event, high: generator.next(), low: generator.next()))
        }
    }

    private mutating func noteTransactions() {
        for changed in [former, transaction, subject].compactMap({ $0 }) {
            if let index = receipt.firstIndex(where: { $0.transactionId == changed.transactionId }) {
                receipt[index] = changed
            } else {
                receipt.append(changed)
            }
        }
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
    var runNumber: Int64 {
        Int64(run % 1_000_000_000) * 387_420_489 % 1_000_000_000
    }
}
