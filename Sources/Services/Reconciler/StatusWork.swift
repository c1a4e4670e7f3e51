internal import AppStoreModel
internal import AppStoreServerAPI
internal import Reconciliation

/// The state of a status comparison: its position and its results so far.
struct StatusWork {
    private(set) var run: SweepRun
    let scope: APIScope
    /// The time at which the topic was last read, in monotonic milliseconds.
    var readAt: Int64 = 0
    /// The rows at the start of the comparison, ordered by purchase.
    private let rows: [PublishedSubscriptions.Row]
    /// The current pass. Once a subscription in the pass has been decided, the run stores the pass and the last decided
    /// purchase, from which an interrupted run continues.
    private var progress: SweepProgress?
    /// The last purchase examined in the current pass.
    private var cursor: String?
    /// Number of consecutive subscriptions without an answer.
    private var unanswered = 0
    private var failure: (any Error)?
    /// Number of answers since the run began or was last resumed.
    private var answered = 0

    init(_ run: SweepRun, _ scope: APIScope, _ rows: [PublishedSubscriptions.Row], readAt: Int64) {
        self.run = run
        self.scope = scope
        self.rows = rows
        self.readAt = readAt
        progress = run.progress
        cursor = run.progress?.pageToken
    }

    /// Returns the next row after the cursor, or nil if both passes are complete. The first pass covers the rows that
    /// need an answer, and the second pass covers all others.
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

    /// Records Apple's answer about a row, and counts the preceding rows without an answer.
    mutating func answer(_ row: PublishedSubscriptions.Row, _ difference: StatusDifference?, isPublished: Bool) {
        if isPublished { run.counts.repaired += 1 }
        if let difference { run.note(difference) }
        decide(row)
    }

    /// Counts a row for which Apple refused the request, or returned a signed object that was refused.
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

    /// Skips a row without an answer, because the failure may affect only that row. After several consecutive rows
    /// without an answer, the failure is assumed to affect all rows and is thrown.
    mutating func leave(_ row: PublishedSubscriptions.Row, _ failure: any Error) throws {
        unanswered += 1
        guard unanswered < StatusInquiry.unansweredInARow else { throw failure }
        self.failure = failure
        cursor = row.subscription.originalTransactionId.rawValue
    }

    /// Counts the rows without an answer at the end of a pass. If there has been no answer at all, the rows remain
    /// uncounted, so that ``end()`` can throw the failure.
    private mutating func closePass() {
        guard answered > 0 else { return }
        countUnanswered()
    }

    /// Ends the comparison. Throws the last failure if Apple answered none of the rows' queries.
    mutating func end() throws {
        if let failure, unanswered > 0, answered == 0 { throw failure }
        countUnanswered()
    }
}
