/// Plays a scenario for one account, and produces the notifications that the App Store would send.
///
/// A pure function of its inputs: the same seed, run number, app and end time yield the same notifications, byte for
/// byte. The last notification is signed at the given end time, and all others before it.
struct ScenarioPlayer {
    let scenario: Scenario
    let app: SimulatedApp
    let account: Account
    let run: Int
    var generator: SeededGenerator

    /// The time of the current step, in milliseconds since 1970.
    var now: Int64 = 0
    /// The current transaction; nil before the first purchase.
    var transaction: Transaction?
    /// The transaction before the current one.
    var former: Transaction?
    /// The renewal facts, or nil for all products other than auto-renewable subscriptions.
    var renewal: Renewal?
    /// The transaction that the step's notification concerns, if it is not the current one.
    var subject: Transaction?
    /// All transactions of the run in their current state, oldest first.
    private(set) var receipt: [Transaction] = []
    /// The time at which renewal was last turned on or off, or at which an upgrade last reported such a change.
    var renewalStatusChangeDate: Int64?
    /// The creation date of the run's external purchase token, in milliseconds since 1970; nil before its first event.
    var tokenCreationDate: Int64?
    private var transactions: Int64 = 0

    private init(_ scenario: Scenario, run: Int, account: Account, app: SimulatedApp, seed: UInt64) {
        self.scenario = scenario
        self.app = app
        self.account = account
        self.run = run
        generator = SeededGenerator(seed: seed, purpose: "run/\(run)")
    }

    /// Returns the notifications of one run, in the order in which they are signed.
    ///
    /// - Parameters:
    ///   - run: the run number; every run has its own transaction ids.
    ///   - end: the time at which the last notification is signed, in milliseconds since 1970.
    ///   - step: the only step to return, or `nil` for all.
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

    /// Plays one run like ``notifications(of:run:account:app:seed:endingAt:only:)``.
    ///
    /// - Parameter visit: receives the facts after each step.
    static func play(
        _ scenario: Scenario, run: Int, account: Account, app: SimulatedApp, seed: UInt64, endingAt end: Int64,
        visit: (ScenarioPlayer, PlayedStep) -> Void
    ) {
        let player = ScenarioPlayer(scenario, run: run, account: account, app: app, seed: seed)
        // The scenario is played twice, because its length is known only at the end.
        var first = player
        first.play(from: 0) { _, _ in }
        var second = player
        second.play(from: end - first.now, visit: visit)
    }

    /// A played step.
    struct PlayedStep {
        /// Zero-based index within the scenario.
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

    /// Returns the time of a step, with a random offset of seconds to hours, as in real notifications.
    private mutating func moment(of step: Scenario.Step) -> Int64 {
        let expiry = transaction?.expiresDate ?? now
        switch step.moment {
        case .after(let delay):
            return now + delay.milliseconds + Int64.random(in: 0..<30_000, using: &generator)
        case .atExpiry where step.event == .renews:
            // The App Store renews before the period ends.
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

    /// Returns a new transaction id. Ids have 15 digits, ascend within a run, and differ between runs with the same
    /// seed.
    mutating func nextTransactionId() -> String {
        transactions += 1
        return String(200_000_000_000_000 + runNumber * 1000 + transactions)
    }

    /// Returns the `webOrderLineItemId` of the most recent transaction.
    func webOrderLineItemId() -> String {
        String(500_000_000_000_000 + runNumber * 1000 + transactions)
    }

    /// The run number, spread over nine digits. Multiplying by a number coprime to 10 keeps runs distinct.
    var runNumber: Int64 {
        Int64(run % 1_000_000_000) * 387_420_489 % 1_000_000_000
    }
}
