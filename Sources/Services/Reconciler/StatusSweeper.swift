internal import AppStoreModel
internal import AppStoreServerAPI
internal import Reconciliation
internal import Time

/// Runs one sweep of statuses: compares what is published of each subscription of which version 1 spoke with what Apple
/// says of it now. It reports; nothing is published.
struct StatusSweeper: Sendable {
    /// Progress is saved each time so many more were compared.
    static let step = 20
    /// After so many subscriptions in a row about which there was no answer, it is not because of them.
    static let unansweredInARow = 5
    /// A difference from a state that was read longer ago, in milliseconds, is looked at again: it may have changed since.
    private static let freshness: Int64 = 60_000
    /// A comparison begins with a reading that is at most so old, in milliseconds: that of the app before.
    private static let reuse: Int64 = 3_600_000

    let client: AppStoreServerClient
    let subscriptions: PublishedSubscriptions
    let clocks: Clocks
    let repetition: Repetition

    /// - Parameter save: makes the run's progress durable.
    func sweep(_ run: SweepRun, _ scope: APIScope, save: (SweepRun) async throws -> Void) async -> SweepEnd {
        var work = Work(run, scope, StatusComparison(client, scope, clocks: clocks))
        do {
            try await read(&work, since: clocks.monotonicMilliseconds() - Self.reuse)
            while let subscription = work.next {
                try await take(subscription, &work)
                if work.isAtStep { try await save(work.run) }
            }
            try work.end()
            return .finished(work.run)
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return .cancelled }
            return .interrupted(work.run, SweepInterruption(error))
        }
    }

    /// What a run works with.
    private struct Work {
        var run: SweepRun
        let scope: APIScope
        let comparison: StatusComparison
        /// In the order of the purchases.
        var published: [PublishedSubscription] = []
        /// By the monotonic clock.
        var readAt: Int64 = 0
        /// The purchase that was looked at last; of the saved run the one before those that are not decided.
        var cursor: String?
        /// Without an answer, since the last answer.
        var unanswered = 0
        var failure: (any Error)?
        /// Since the begin, or since it went on.
        var answered = 0

        init(_ run: SweepRun, _ scope: APIScope, _ comparison: StatusComparison) {
            self.run = run
            self.scope = scope
            self.comparison = comparison
            cursor = run.progress?.pageToken
        }

        /// The first one after the cursor.
        var next: PublishedSubscription? {
            guard let cursor else { return published.first }
            let index = index(after: cursor)
            return index < published.count ? published[index] : nil
        }

        /// As it was read last; nil where it is not there any more.
        func published(_ purchase: OriginalTransactionId) -> PublishedSubscription? {
            let index = index(after: purchase.rawValue) - 1
            guard index >= 0, published[index].originalTransactionId == purchase else { return nil }
            return published[index]
        }

        private func index(after purchase: String) -> Int {
            var (low, high) = (0, published.count)
            while low < high {
                let middle = (low + high) / 2
                if published[middle].originalTransactionId.rawValue <= purchase {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }

        var isAtStep: Bool { unanswered == 0 && answered > 0 && answered % StatusSweeper.step == 0 }

        /// Apple answered about it, and thereby about those before it too.
        mutating func answer(_ subscription: PublishedSubscription, _ difference: StatusDifference?) {
            if let difference { run.note(difference) }
            decide(subscription)
        }

        /// Apple refuses this very request.
        mutating func refuse(_ subscription: PublishedSubscription) {
            run.counts.refused += 1
            decide(subscription)
        }

        private mutating func decide(_ subscription: PublishedSubscription) {
            run.counts.swept += Int64(unanswered + 1)
            run.counts.unknown += Int64(unanswered)
            unanswered = 0
            answered += 1
            cursor = subscription.originalTransactionId.rawValue
            run.progress?.pageToken = cursor
            run.failure = nil
        }

        /// One about which there is no answer says nothing of the others; several do.
        mutating func leave(_ subscription: PublishedSubscription, _ failure: any Error) throws {
            unanswered += 1
            guard unanswered < StatusSweeper.unansweredInARow else { throw failure }
            self.failure = failure
            cursor = subscription.originalTransactionId.rawValue
        }

        /// There is nothing more to compare.
        mutating func end() throws {
            if let failure, unanswered > 0, answered == 0 { throw failure }
            run.counts.swept += Int64(unanswered)
            run.counts.unknown += Int64(unanswered)
        }
    }

    /// - Parameter moment: a reading that began before it is repeated.
    private func read(_ work: inout Work, since moment: Int64) async throws {
        let reading = try await subscriptions.read(
            of: work.scope.bundleId, in: work.scope.environment, since: moment)
        work.published = reading.subscriptions
        work.readAt = reading.begun
    }

    private func take(_ subscription: PublishedSubscription, _ work: inout Work) async throws {
        do {
            var difference = try await ask(about: subscription, &work)
            if difference != nil, clocks.monotonicMilliseconds() - work.readAt > Self.freshness {
                try await read(&work, since: clocks.monotonicMilliseconds())
                difference = nil
                // Otherwise erased meanwhile.
                if let now = work.published(subscription.originalTransactionId) {
                    difference = try await ask(about: now, &work)
                }
            }
            work.answer(subscription, difference)
        } catch let failure as APIFailure where failure.isRefusal && !failure.isRetriable {
            work.refuse(subscription)
        } catch let failure as APIFailure where failure.kind == .server || failure.kind == .unreadable {
            try work.leave(subscription, failure)
        }
    }

    /// With several attempts.
    private func ask(
        about subscription: PublishedSubscription, _ work: inout Work
    ) async throws -> StatusDifference? {
        var request = RepeatedRequest(repetition)
        while true {
            work.run.counts.calls += 1
            do throws(APIFailure) {
                return try await work.comparison.difference(of: subscription)
            } catch {
                try await request.wait(after: error)
            }
        }
    }
}
