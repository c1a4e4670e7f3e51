internal import AppStoreModel
internal import AppStoreServerAPI
internal import Reconciliation

/// The state of a comparison of statuses: its position and its results so far.
struct StatusWork {
    private(set) var run: SweepRun
    let scope: APIScope
    /// When the topic was last read, on the monotonic clock.
    var readAt: Int64 = 0
    /// Rows at the beginning, ordered by purchase.
    private let rows: [PublishedSubscriptions.Row]
    /// The current pass. It is stored in the run once a subscription of the pass was decided, with the purchase decided
    /// last, from which an interrupted run continues.
    private var progress: SweepProgress?
    /// The last purchase examined in the current pass.
    private var cursor: String?
    /// Consecutive subscriptions without an answer.
    private var unanswered = 0
    private var failure: (any Error)?
    /// Number of answers since the beginning or the last continuation.
    private var answered = 0

    init(_ run: SweepRun, _ scope: APIScope, _ rows: [PublishedSubscriptions.Row], readAt: Int64) {
        self.run = run
        self.scope = scope
        self.rows = rows
        self.readAt = readAt
        progress = run.progress
        cursor = run.progress?.pageToken
    }

    /// Returns the next row after the cursor: in the first pass those that need an answer, in the second all others.
    mutating func next() -> PublishedSubscriptions.Row? {
        while let pass = progress?.pass {
            var index = cursor.map(index(after:)) ?? 0
            while index < rows.count {
                let isFirst = rows[index].subscription.needsStatusQuery
                if isFirst == (pass == .consumptionRequests) { return rows[index] }
                index += 1
            }
            closePass()
            cursor = nil
            if progress?.advance(windows: 1) != true { progress = nil }
        }
        return nil
    }

    private func index(after purchase: String) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].subscription.originalTransactionId.rawValue <= purchase {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    var isAtStep: Bool { unanswered == 0 && answered > 0 && answered % StatusSweeper.step == 0 }

    mutating func countCall() { run.counts.calls += 1 }

    /// Records Apple's answer about a row; preceding rows without an answer are then counted too.
    mutating func answer(_ row: PublishedSubscriptions.Row, _ difference: StatusDifference?, isPublished: Bool) {
        if isPublished { run.counts.repaired += 1 }
        if let difference { run.note(difference) }
        decide(row)
    }

    /// Records that Apple refuses this request, or that its signed object was refused.
    mutating func refuse(_ row: PublishedSubscriptions.Row) {
        run.counts.refused += 1
        decide(row)
    }

    /// Skips a row that no longer exists.
    mutating func skip(_ row: PublishedSubscriptions.Row) { cursor = row.subscription.originalTransactionId.rawValue }

    private mutating func decide(_ row: PublishedSubscriptions.Row) {
        run.counts.swept += 1
        countUnanswered()
        answered += 1
        cursor = row.subscription.originalTransactionId.rawValue
        run.progress = progress
        run.progress?.pageToken = cursor
        run.failure = nil
    }

    private mutating func countUnanswered() {
        run.counts.swept += Int64(unanswered)
        run.counts.unknown += Int64(unanswered)
        unanswered = 0
    }

    /// Skips a row without an answer. One failure implies nothing about others, but several in a row do and are thrown.
    mutating func leave(_ row: PublishedSubscriptions.Row, _ failure: any Error) throws {
        unanswered += 1
        guard unanswered < StatusInquiry.unansweredInARow else { throw failure }
        self.failure = failure
        cursor = row.subscription.originalTransactionId.rawValue
    }

    /// Closes the pass. Without a single answer the failure is kept.
    private mutating func closePass() {
        guard answered > 0 else { return }
        countUnanswered()
    }

    /// Ends the comparison; throws the failure if there was no answer at all.
    mutating func end() throws {
        if let failure, unanswered > 0, answered == 0 { throw failure }
        countUnanswered()
    }
}
