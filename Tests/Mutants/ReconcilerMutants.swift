// The reconciler: what it reads and publishes, and the requests that it abandons.

private let services = "Services/Reconciler/"
private let plan = MutatedFile(
    .reconciler, "range", services + "SweepConfiguration.swift", suites: "SweepConfigurationTests")
private let scheduler = MutatedFile(
    .reconciler, "lanes", services + "SweepScheduler.swift", suites: "HostileHistoryTests|CompletenessTests")
private let lanes = MutatedFile(
    .reconciler, "lanes", services + "SweepLanes.swift", suites: "SweepLanesTests")
private let sweeper = MutatedFile(
    .reconciler, "history", services + "HistorySweeper.swift", suites: "HostileHistoryTests|CompletenessTests")
private let handled = MutatedFile(
    .reconciler, "history", services + "HandledNotifications.swift", suites: "HostileHistoryTests|CompletenessTests")
private let subscriptions = MutatedFile(
    .reconciler, "statuses", services + "PublishedSubscriptions.swift",
    suites: "PublishedSubscriptionsTests|StatusSweepTests")
private let statuses = MutatedFile(
    .reconciler, "statuses", services + "StatusSweeper.swift", suites: "StatusSweepTests")
private let statusWork = MutatedFile(
    .reconciler, "statuses", services + "StatusWork.swift", suites: "StatusSweepTests")
private let repairer = MutatedFile(
    .reconciler, "repair", services + "StatusRepairer.swift", suites: "StatusSweepTests")
private let statusAnswer = MutatedFile(
    .reconciler, "repair", "AppStore/Reconciliation/Statuses/StatusAnswer.swift", suites: "StatusSweepTests")
private let run = MutatedFile(
    .reconciler, "windows", "AppStore/Reconciliation/SweepRun.swift", suites: "SweepTests|HostileHistoryTests")

enum ReconcilerMutants {
    static let all: [Mutant] = [
        plan.mutant("range-to-the-last-run", "min(usual, $0.range.to - overlap)", "usual"),
        plan.mutant("range-within-reach", "max(from, first)", "from"),
        plan.mutant("range-is-longer", "run.range.to - run.range.from > everything.range", "false"),
        scheduler.mutant("lane-of-failures", "SweepLanes.Lane(sweep.kind) == .everything", "false"),
        scheduler.mutant("cancelled-of-a-removed-app", "sweep.isToEnd || scope != nil", "scope != nil"),
        lanes.mutant("cancelled-waits-for-no-other", "sweep.isToEnd ? .cancelled : own", "own"),
        lanes.mutant("cancelled-run-ends-first", "running[own]?.key != sweep.key", "true"),
        lanes.mutant("ended-sweep-waits-for-a-look", "ended.isDisjoint(with: [own, lane])", "true"),
        scheduler.mutant("window-is-given-up", "interruption.isAboutWindow", "false"),
        sweeper.mutant("refused-is-kept", "page.refused.map { FoundNotification($0) }", "[]"),
        sweeper.mutant(
            "dry-run-writes-nothing", "!work.run.isDryRun", after: "take(_ found: FoundNotification", "true"),
        sweeper.mutant("known-is-not-missing", "!known.contains($0.wanted)", "true"),
        sweeper.mutant("consumption-requests-first", "progress.pass == .consumptionRequests", "false"),
        handled.mutant("handled-once", "now - moment < Self.lifetime", "false"),
        subscriptions.mutant("statuses-are-followed", "snapshot.next[partition] ?? .beginning", ".beginning"),
        subscriptions.mutant("reading-is-shared", "known.begun >= moment", "false"),
        statuses.mutant(
            "fresh-before-a-difference", "clocks.monotonicMilliseconds() - work.readAt > Self.freshness", "false"),
        statuses.mutant(
            "answer-that-is-needed", "difference != nil || current.subscription.needsStatusQuery", "difference != nil"),
        statusWork.mutant("needed-answers-first", "isFirst == (pass == .consumptionRequests)", "pass == .all"),
        repairer.mutant(
            "repair-is-switched-off", "isOn", after: "_ difference: StatusDifference?, _ scope: APIScope", "true"),
        repairer.mutant(
            "refused-status-once", "try await index.known([wanted], in: scope.environment).isEmpty", "true"),
        statusAnswer.mutant("answer-settles-version-1", "before.answeredLegacyIds", "[]"),
        run.mutant("window-is-halved", "progress.halve()", "false"),
        run.mutant("window-is-named", "unread.count < Self.namedMissing", "false"),
    ]
}
