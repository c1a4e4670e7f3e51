internal import Configuration

extension PostingPlan {
    /// Creates the plan described by the command line. If the plan has neither duplicates nor late posts, every command
    /// omits the same notifications for the same series, count and undelivered share.
    init(
        _ series: ScenarioSeries, _ configuration: Configuration, duplicates: Percentage = .zero,
        disorder: Percentage = .zero
    ) {
        let count = configuration[SimulatorSettings.notifications]
        // Omit only notifications that remain in Apple's history for at least another day, so that they can be found
        // there.
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
