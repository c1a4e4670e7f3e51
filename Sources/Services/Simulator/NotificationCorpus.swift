package import AppStoreSigning

/// Signed notifications of many customers for tests and measurements. Each has a body of about 19 KB, as sent by the
/// App Store, and the facts that a receiver must find in it.
///
/// Equal arguments yield equal notifications; only the signatures differ from run to run.
package struct NotificationCorpus: Sendable {
    package let notifications: [SignedNotification]

    /// Creates the corpus by interleaving the runs of as many customers as the count requires.
    ///
    /// - Parameters:
    ///   - end: the time at which the runs end, in milliseconds since 1970; no signing date is later.
    /// - Throws: ``AppStoreSigningError`` with code `cryptography`.
    package init(
        count: Int, seed: UInt64, pki: TestCertificateAuthority, app: SimulatedApp,
        scenarios: [Scenario] = Scenario.all,
        endingAt end: Int64
    ) throws(AppStoreSigningError) {
        guard let series = ScenarioSeries(scenarios: scenarios, app: app, seed: seed, endingAt: end) else {
            notifications = []
            return
        }
        let factory = NotificationFactory(series: series, pki: pki)
        var notifications: [SignedNotification] = []
        notifications.reserveCapacity(count)
        for post in PostingPlan(series: series, count: count) {
            notifications.append(try factory.make(post))
        }
        self.notifications = notifications
    }
}
