internal import Configuration

extension PostingPlan {
    /// What the command line asks to be posted. The same series, count and share leave out the same notifications in
    /// every command, without duplicates and disorder.
    init(
        _ series: ScenarioSeries, _ configuration: Configuration, duplicates: Percentage = .zero,
        disorder: Percentage = .zero
    ) {
        let count = configuration[SimulatorSettings.count]
        // A day less, so that they are within reach for a day.
        let reach = NotificationHistoryRequest.reach(in: series.app.environment) - .days(1)
        self.init(
            series: series, firstRun: configuration[SimulatorSettings.firstRun],
            runs: count == nil ? series.accounts : nil, count: count, duplicates: duplicates,
            disorder: disorder, undelivered: configuration[SimulatorSettings.undelivered],
            concurrentRuns: Swift.min(series.accounts ?? 64, 256),
            mayBeLost: { post in
                // Only version 2 is in the history.
                guard post.format == .v2, let notification = series.notification(of: post.run, step: post.step) else {
                    return false
                }
                return notification.signedDate > series.end - reach.milliseconds
            })
    }
}
