internal import AppStoreModel
internal import AppStoreServerAPI
internal import Reconciliation

/// The work of a comparison of statuses: the subscription that comes next, and the results so far.
struct StatusWork {
    private(set) var run: SweepRun
    let scope: APIScope
    /// When the topic was read last, by the monotonic clock.
    var readAt: Int64 = 0
    /// In the order of the purchases, as they were at the begin.
    private let rows: [PublishedSubscriptions.Row]
    /// The present pass. The run says it once something is decided in it, and with it the purchase that was decided last:
    /// what is interrupted goes on from there.
    private var progress: SweepProgress?
    /// The purchase that was looked at last in the present pass.
    private var cursor: String?
    /// Without an answer, since the last answer.
    private var unanswered = 0
    private var failure: (any Error)?
    /// Since the begin, or since it went on.
    private var answered = 0

    init(_ run: SweepRun, _ scope: APIScope, _ rows: [PublishedSubscriptions.Row], readAt: Int64) {
        self.run = run
        self.scope = scope
        self.rows = rows
        self.readAt = readAt
        progress = run.progress
        cursor = run.progress?.pageToken
    }

    /// The first one after the cursor: those that need the answer in the first pass, all others in the second.
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

    /// Apple answered about it, and thereby about those before it too.
    mutating func answer(_ row: PublishedSubscriptions.Row, _ difference: StatusDifference?, isPublished: Bool) {
        if isPublished { run.counts.repaired += 1 }
        if let difference { run.note(difference) }
        decide(row)
    }

    /// Apple refuses this very request, or what it signed is refused.
    mutating func refuse(_ row: PublishedSubscriptions.Row) {
        run.counts.refused += 1
        decide(row)
    }

    /// It is not there any more.
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

    /// One about which there is no answer says nothing of the others; several do.
    mutating func leave(_ row: PublishedSubscriptions.Row, _ failure: any Error) throws {
        unanswered += 1
        guard unanswered < StatusInquiry.unansweredInARow else { throw failure }
        self.failure = failure
        cursor = row.subscription.originalTransactionId.rawValue
    }

    /// There is nothing more in this pass. Without a single answer the failure stays.
    private mutating func closePass() {
        guard answered > 0 else { return }
        countUnanswered()
    }

    /// There is nothing more to compare.
    mutating func end() throws {
        if let failure, unanswered > 0, answered == 0 { throw failure }
        countUnanswered()
    }
}
