internal import Configuration

extension PostingPlan {
    /// Creates the plan described by the command line. For the same series, count and share, and without duplicates and
    /// late posts, every command omits the same notifications.
    init(
        _ series: ScenarioSeries, _ configuration: Configuration, duplicates: Percentage = .zero,
        disorder: Percentage = .zero
    ) {
        let count = configuration[SimulatorSettings.count]
        // One day shorter than Apple's history, so that the notifications remain available for a day.
        let reach = NotificationHistoryRequest.reach(in: series.app.environment) - .days(1)
        self.init(
            series: series, firstRun: configuration[SimulatorSettings.firstRun],
            runs: count == nil ? series.accounts : nil, count: count, duplicates: duplicates,
            disorder: disorder, undelivered: configuration[SimulatorSettings.undelivered],
            concurrentRuns: Swift.min(series.accounts ?? 64, 256),
            mayBeLost: { post in
                // Apple's history contains only version 2.
                guard post.format == .v2, let notification = series.notification(of: post.run, step: post.step) else {
                    return false
                }
                return notification.signedDate > series.end - reach.milliseconds
            })
    }
}
