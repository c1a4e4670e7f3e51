internal import AppStoreModel
internal import AppStoreServerAPI
internal import Primitives
internal import Reconciliation

/// Runs one status sweep: compares Apple's current status with the published state of each subscription that has
/// version 1 facts or needs Apple's answer. If they differ, ``StatusRepairer`` publishes Apple's signed answer.
struct StatusSweeper: Sendable {
    /// The number of comparisons after which progress is saved.
    static let step = 20
    /// Maximum age, in milliseconds, of the state read from the topic. An older state may have changed, so a difference
    /// is rechecked.
    private static let freshness: Int64 = 60_000
    /// Maximum age, in milliseconds, at which a comparison reuses the state read for the previous app.
    private static let reuse: Int64 = 3_600_000
    /// The maximum number of queries about a subscription whose row keeps changing.
    private static let looks = 3

    let client: AppStoreServerClient
    let subscriptions: PublishedSubscriptions
    let repairer: StatusRepairer
    let clocks: Clocks
    let repetition: Repetition

    /// - Parameter save: saves the run's progress.
    func sweep(_ run: SweepRun, _ scope: APIScope, save: (SweepRun) async throws -> Void) async -> SweepEnd {
        var work = StatusWork(run, scope, [], readAt: 0)
        do {
            let readAt = try await subscriptions.refresh(
                scope.environment, since: clocks.monotonicMilliseconds() - Self.reuse)
            let rows = subscriptions.rows(of: scope.bundleId, in: scope.environment)
            work = StatusWork(run, scope, rows, readAt: readAt)
            while let row = work.next() {
                try await decide(row, &work)
                if work.isAtStep { try await save(work.run) }
            }
            try work.end()
            return .finished(work.run)
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return .cancelled }
            return .interrupted(work.run, SweepInterruption(error))
        }
    }

    /// Queries Apple about the published subscription, and queries again if the subscription changes before the answer
    /// is used.
    private func decide(_ row: PublishedSubscriptions.Row, _ work: inout StatusWork) async throws {
        for look in 1...Self.looks {
            guard let current = self.row(row, work) else { return work.skip(row) }
            let answer: StatusAnswer
            let inquiry = StatusInquiry(StatusComparison(client, work.scope, clocks: clocks), repetition)
            switch try await inquiry.ask(about: current.subscription, asked: { work.countCall() }) {
            case .answer(let given): answer = given
            case .refused: return work.refuse(row)
            case .unanswered(let failure): return try work.leave(row, failure)
            }
            if case .refused(let item) = answer {
                try await repairer.quarantine(item, of: current, work.scope)
                return work.refuse(row)
            }
            let difference = answer.difference(of: current.subscription)
            guard difference != nil || current.subscription.needsStatusQuery else {
                return work.answer(row, nil, isPublished: false)
            }
            if clocks.monotonicMilliseconds() - work.readAt > Self.freshness {
                try await refresh(&work)
                // The subscription may have been erased in the meantime.
                guard let now = self.row(row, work) else { return work.answer(row, nil, isPublished: false) }
                if !now.isSame(as: current), look < Self.looks { continue }
            }
            switch try await repairer.repair(current, with: answer, difference, work.scope) {
            case .published: return work.answer(row, difference.map(Self.repaired), isPublished: true)
            case .unchanged: return work.answer(row, difference, isPublished: false)
            case .outdated:
                try await refresh(&work)
                if look == Self.looks { return work.answer(row, difference, isPublished: false) }
            }
        }
    }

    private static func repaired(_ difference: StatusDifference) -> StatusDifference {
        var difference = difference
        difference.isRepaired = true
        return difference
    }

    private func row(_ row: PublishedSubscriptions.Row, _ work: StatusWork) -> PublishedSubscriptions.Row? {
        subscriptions.row(
            of: row.subscription.originalTransactionId, work.scope.bundleId, in: work.scope.environment)
    }

    private func refresh(_ work: inout StatusWork) async throws {
        work.readAt = try await subscriptions.refresh(work.scope.environment, since: clocks.monotonicMilliseconds())
    }
}
