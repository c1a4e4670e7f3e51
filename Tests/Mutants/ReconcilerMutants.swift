// What the reconciler reads, publishes, and gives up.

private let services = "Services/Reconciler/"
private let plan = MutatedFile(
    .reconciler, "range", services + "ReconcilerPlan.swift", suites: "ReconcilerPlanTests")
private let scheduler = MutatedFile(
    .reconciler, "lanes", services + "SweepScheduler.swift", suites: "HostileHistoryTests|CompletenessTests")
private let lanes = MutatedFile(
    .reconciler, "lanes", services + "SweepLanes.swift", suites: "SweepLanesTests")
private let sweeper = MutatedFile(
    .reconciler, "history", services + "HistorySweeper.swift", suites: "HostileHistoryTests|CompletenessTests")
private let handled = MutatedFile(
    .reconciler, "history", services + "HandledNotifications.swift", suites: "HostileHistoryTests|CompletenessTests")
private let run = MutatedFile(
    .reconciler, "windows", "AppStore/Reconciliation/SweepRun.swift", suites: "SweepTests|HostileHistoryTests")

enum ReconcilerMutants {
    static let all: [Mutant] = [
        plan.mutant("range-to-the-last-run", "min(usual, $0.range.to - overlap)", "usual"),
        plan.mutant("range-within-reach", "max(from, first)", "from"),
        plan.mutant("range-is-longer", "run.range.to - run.range.from > everything.range", "false"),
        scheduler.mutant("lane-of-failures", "lane == .everything", "false"),
        lanes.mutant("ended-sweep-waits-for-a-look", "!ended.contains(lane)", "true"),
        scheduler.mutant("window-is-given-up", "interruption.isAboutWindow", "false"),
        sweeper.mutant("refused-is-kept", "page.refused.map { FoundNotification($0) }", "[]"),
        sweeper.mutant(
            "dry-run-writes-nothing", "!work.run.isDryRun", after: "take(_ found: FoundNotification", "true"),
        sweeper.mutant("known-is-not-missing", "!known.contains($0.wanted)", "true"),
        sweeper.mutant("consumption-requests-first", "progress.pass == .consumptionRequests", "false"),
        sweeper.mutant("urgent-first", "found.filter(\\.isUrgent) + found.filter({ !$0.isUrgent })", "found"),
        handled.mutant("handled-once", "now - moment < Self.lifetime", "false"),
        run.mutant("window-is-halved", "progress.halve()", "false"),
        run.mutant("window-is-named", "unread.count < Self.namedMissing", "false"),
    ]
}
