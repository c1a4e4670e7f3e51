/// One post of a plan: which notification, and whether it is out of the ordinary.
package struct PlannedPost: Sendable, Hashable {
    package let run: Int
    /// Of the scenario.
    package let step: Int
    package var format = NotificationFormat.v2
    /// Which of the bodies that tell of the step in the format, from 0.
    package var number = 0
    /// A second post of a notification that is posted anyway.
    package var isDuplicate = false
    /// Posted after a later notification of the same run.
    package var isLate = false
    /// Never posted: the App Store lists it in its history, and the endpoint does not get it.
    package var isUndelivered = false
}

/// The order in which notifications are posted: runs interleaved, some notifications twice, some late.
///
/// A sequence that follows from its inputs alone and holds only the runs in progress, whatever the count.
package struct PostingPlan: Sequence, IteratorProtocol, Sendable {
    /// Different notifications.
    package let count: Int
    /// Posts besides the first of each notification: exactly the share asked for.
    package let duplicates: Int
    /// Notifications to post after a later one of the same run. Fewer are posted late only when too few
    /// notifications have a later one.
    package let late: Int
    /// Notifications that are never posted. Fewer are left out only when too few may be.
    package let undelivered: Int

    /// Messages of each scenario: with version 2 alone its steps.
    private let stepCounts: [Int]
    private let series: ScenarioSeries
    /// The number after that of the last run.
    private let end: Int?
    private var generator: SeededGenerator
    /// Runs in progress, each with its next step.
    private var underWay: [(run: Int, step: Int)] = []
    private var nextRun: Int
    private var drawn = 0
    private var duplicatesLeft: Int
    private var undeliveredLeft: Int
    /// Of `undeliveredLeft`, those chosen that may not be lost: later ones are in their place.
    private var lossesOwed = 0
    /// Draws of its own, so that the other posts are those of the plan without it.
    private var lossGenerator: SeededGenerator
    private let mayBeLost: @Sendable (PlannedPost) -> Bool
    private var heldBack = 0
    /// Posts so far.
    private var position = 0
    private var delayed: [(due: Int, post: PlannedPost)] = []

    /// - Parameters:
    ///   - series: gives the scenarios.
    ///   - firstRun: the number of the first run, from 0: every number has transaction ids of its own.
    ///   - runs: how many runs are played; `nil` plays as many as the count needs.
    ///   - count: how many notifications are posted at most; `nil` posts all of the runs. Without either every
    ///     scenario is played once.
    ///   - undelivered: the share of the notifications that is never posted; none of them has a duplicate or is late.
    ///   - concurrentRuns: how many runs are interleaved.
    ///   - mayBeLost: whether a notification may be among those never posted.
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

    /// Posts a notification now, or holds it back and posts its successor now.
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

    /// Whether the post just drawn is among those never posted: selection sampling, as for the duplicates.
    private mutating func isLost(_ post: PlannedPost) -> Bool {
        guard undeliveredLeft > 0 else { return false }
        let remaining = Swift.max(count - drawn + 1, 1)
        if Int.random(in: 0..<remaining, using: &lossGenerator) < undeliveredLeft - lossesOwed { lossesOwed += 1 }
        guard lossesOwed > 0, mayBeLost(post) else { return false }
        lossesOwed -= 1
        undeliveredLeft -= 1
        return true
    }

    /// How many should have been held back by now. Ahead of the even share by some notifications, so that the last are
    /// found before the end, where few have a successor left.
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

    /// Selection sampling: with this chance at every one of the remaining, exactly `wanted` are chosen in the end.
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

    /// Replaces a finished run with the next one.
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
