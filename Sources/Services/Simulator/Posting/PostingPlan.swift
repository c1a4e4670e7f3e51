/// One post in a plan: a notification, and any deviation from normal delivery.
package struct PlannedPost: Sendable, Hashable {
    package let run: Int
    /// Zero-based index within the scenario.
    package let step: Int
    package var format = NotificationFormat.v2
    /// Zero-based index among the step's bodies in this format.
    package var number = 0
    /// Whether this is a second post of a notification that is also posted normally.
    package var isDuplicate = false
    /// Whether the notification is posted after a later one from the same run.
    package var isLate = false
    /// Whether the notification is never posted. The App Store lists it in its history, but the endpoint does not
    /// receive it.
    package var isUndelivered = false
}

/// The order in which notifications are posted. Runs are interleaved, and some notifications are duplicated or late.
///
/// The order is a deterministic function of the inputs. Only the active runs are in memory, regardless of the count.
package struct PostingPlan: Sequence, IteratorProtocol, Sendable {
    /// Number of distinct notifications.
    package let count: Int
    /// Number of duplicate posts: exactly the requested share.
    package let duplicates: Int
    /// Number of notifications to post after a later one from the same run: the requested share. Fewer are late only if
    /// too few notifications have a successor.
    package let late: Int
    /// Number of notifications that should never be posted: the requested share. More are posted only if `mayBeLost`
    /// allows too few losses.
    package let undelivered: Int

    /// Number of messages in each scenario. With only version 2, this is the number of steps.
    private let stepCounts: [Int]
    private let series: ScenarioSeries
    /// Exclusive upper bound on the run numbers, or nil if the count limits the plan.
    private let end: Int?
    private var generator: SeededGenerator
    /// The active runs, each with its next step.
    private var underWay: [(run: Int, step: Int)] = []
    private var nextRun: Int
    private var drawn = 0
    private var duplicatesLeft: Int
    private var undeliveredLeft: Int
    /// The number of posts in `undeliveredLeft` that were chosen but could not be lost, because `mayBeLost` did not
    /// allow it. Later posts are lost instead.
    private var lossesOwed = 0
    /// A separate generator, so that losses do not change the rest of the plan.
    private var lossGenerator: SeededGenerator
    private let mayBeLost: @Sendable (PlannedPost) -> Bool
    private var heldBack = 0
    /// The number of posts so far.
    private var position = 0
    private var delayed: [(due: Int, post: PlannedPost)] = []

    /// - Parameters:
    ///   - series: the source of the scenarios.
    ///   - firstRun: the zero-based number of the first run; every run has its own transaction ids.
    ///   - runs: the number of runs, or `nil` for as many as the count requires.
    ///   - count: the maximum number of notifications, or `nil` for all notifications of the runs. If both are `nil`,
    ///     every scenario is played once.
    ///   - undelivered: the share of notifications that are never posted, and therefore neither duplicated nor late.
    ///   - concurrentRuns: the number of interleaved runs.
    ///   - mayBeLost: returns whether a notification may remain unposted.
    package init(
        series: ScenarioSeries, firstRun: Int = 0, runs: Int? = nil, count: Int? = nil, duplicates: Percentage = .zero,
        disorder: Percentage = .zero, undelivered: Percentage = .zero, concurrentRuns: Int = 64,
        mayBeLost: @escaping @Sendable (PlannedPost) -> Bool = { _ in true }
    ) {
        stepCounts = series.messageCounts
        self.series = series
        let runs = runs ?? (count == nil ? stepCounts.count : nil)
        let available = runs.map { [stepCounts] runs in
            Self.steps(of: firstRun + runs, stepCounts) - Self.steps(of: firstRun, stepCounts)
        }
        let total = Swift.min(count ?? Int.max, available ?? Int.max)
        end = runs.map { firstRun + $0 }
        nextRun = firstRun
        self.count = total
        self.duplicates = duplicates.of(total)
        late = disorder.of(total)
        duplicatesLeft = self.duplicates
        self.undelivered = undelivered.of(total)
        undeliveredLeft = self.undelivered
        lossGenerator = SeededGenerator(seed: series.seed, purpose: "undelivered")
        self.mayBeLost = mayBeLost
        generator = SeededGenerator(seed: series.seed, purpose: "plan")
        underWay.reserveCapacity(concurrentRuns)
        while underWay.count < concurrentRuns, let run = startRun() {
            underWay.append((run, 0))
        }
    }

    package mutating func next() -> PlannedPost? {
        guard let post = takePost() else { return nil }
        position += 1
        return post
    }

    private mutating func takePost() -> PlannedPost? {
        if let index = delayed.indices.min(by: { delayed[$0].due < delayed[$1].due }),
            delayed[index].due <= position || drawn == count
        {
            return delayed.remove(at: index).post
        }
        guard drawn < count, let index = underWay.indices.randomElement(using: &generator) else { return nil }
        let post = draw(at: index)
        guard !isLost(post) else {
            finish(at: index)
            var lost = post
            lost.isUndelivered = true
            return lost
        }
        return postFirst(of: post, at: index)
    }

    /// Returns the notification to post now: this one, or its successor if this one is held back.
    private mutating func postFirst(of post: PlannedPost, at index: Int) -> PlannedPost {
        let remaining = count - drawn + 1
        let hasSuccessor = drawn < count && underWay[index].step < stepCount(of: post.run)
        guard hasSuccessor, heldBack < lateDue else {
            finish(at: index)
            planDuplicate(of: post, after: position, of: remaining)
            return post
        }
        heldBack += 1
        var held = post
        held.isLate = true
        let due = position + Int.random(in: 2...8, using: &generator)
        delayed.append((due, held))
        planDuplicate(of: post, after: due, of: remaining)
        let successor = draw(at: index)
        finish(at: index)
        planDuplicate(of: successor, after: position, of: remaining - 1)
        return successor
    }

    /// Decides whether the current post is lost, by selection sampling as for duplicates.
    private mutating func isLost(_ post: PlannedPost) -> Bool {
        guard undeliveredLeft > 0 else { return false }
        let remaining = Swift.max(count - drawn + 1, 1)
        if Int.random(in: 0..<remaining, using: &lossGenerator) < undeliveredLeft - lossesOwed { lossesOwed += 1 }
        guard lossesOwed > 0, mayBeLost(post) else { return false }
        lossesOwed -= 1
        undeliveredLeft -= 1
        return true
    }

    /// The number of posts that should have been held back so far. It is slightly more than an even distribution would
    /// require, because few posts near the end have a successor and can be held back.
    private var lateDue: Int {
        let (product, overflow) = late.multipliedReportingOverflow(by: drawn + 32)
        return overflow ? late : Swift.min(late, product / Swift.max(count, 1))
    }

    private mutating func planDuplicate(of post: PlannedPost, after due: Int, of remaining: Int) {
        guard isChosen(duplicatesLeft, of: remaining - undeliveredLeft) else { return }
        duplicatesLeft -= 1
        var duplicate = post
        duplicate.isDuplicate = true
        delayed.append((due + Int.random(in: 1...50, using: &generator), duplicate))
    }

    /// Decides by selection sampling whether to choose the current post, so that exactly `wanted` of the remaining
    /// posts are chosen in the end.
    private mutating func isChosen(_ wanted: Int, of remaining: Int) -> Bool {
        wanted > 0 && Int.random(in: 0..<Swift.max(remaining, 1), using: &generator) < wanted
    }

    private mutating func draw(at index: Int) -> PlannedPost {
        let (run, step) = underWay[index]
        underWay[index].step += 1
        drawn += 1
        guard let message = series.message(step, of: run) else { return PlannedPost(run: run, step: step) }
        return PlannedPost(run: run, step: message.step, format: message.format, number: message.number)
    }

    /// Replaces the run at an index with the next one if the run has finished, or removes it if there is no next one.
    private mutating func finish(at index: Int) {
        guard underWay[index].step >= stepCount(of: underWay[index].run) else { return }
        if let run = startRun() {
            underWay[index] = (run, 0)
        } else {
            underWay.remove(at: index)
        }
    }

    private mutating func startRun() -> Int? {
        guard end.map({ nextRun < $0 }) ?? true else { return nil }
        nextRun += 1
        return nextRun - 1
    }

    private func stepCount(of run: Int) -> Int {
        stepCounts[run % stepCounts.count]
    }

    private static func steps(of runs: Int, _ stepCounts: [Int]) -> Int {
        let (rounds, rest) = runs.quotientAndRemainder(dividingBy: stepCounts.count)
        return rounds * stepCounts.reduce(0, +) + stepCounts.prefix(rest).reduce(0, +)
    }
}
