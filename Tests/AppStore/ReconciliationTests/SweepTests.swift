import AppStoreModel
import JSON
import TestSupport
import Testing

@testable import Reconciliation

@Suite struct SweepTests {
    static let start: Int64 = 1_795_435_200_000

    private func run(startedAt: Int64 = start) -> SweepRun {
        SweepRun(startedAt: startedAt, range: SweepRange(from: startedAt - 1_000_000, to: startedAt), windows: 500_000)
    }

    private func sweep(_ kind: SweepKind = .failures) -> Sweep {
        Sweep(.production, BundleId("com.example.app"), kind)
    }

    private var finished: Sweep {
        var sweep = sweep()
        var run = run()
        sweep.begin(run)
        run.progress?.pageToken = "page-2"
        run.counts.swept = 20
        run.note(
            missing: SweepRun.Missing(
                NotificationUUID("6ff4"), .didRenew, signedDate: AppStoreInstant(clampingMillisecondsSince1970: 7)))
        sweep.update(run, nextAt: Self.start + 1)
        sweep.finish(run, at: Self.start + 2, nextAt: Self.start + 3_600_000)
        return sweep
    }

    @Test func `an unreadable window is halved down to a minute, then skipped and listed`() throws {
        var run = SweepRun(startedAt: 0, range: SweepRange(from: 0, to: 400_000), windows: 50_000)
        run.progress?.pageToken = "page-2"
        run.failure = SweepRun.Failure(at: 1, message: "no", count: 2)
        run.narrowWindow(windows: 50_000)
        #expect(run.progress?.window == SweepRange(from: 0, to: 200_000))
        #expect(run.progress?.pageToken == nil)
        #expect(run.counts.unread == 0 && run.failure != nil)
        while run.counts.unread == 0 { run.narrowWindow(windows: 50_000) }
        #expect(run.unread == [SweepRange(from: 0, to: 60_000)])
        #expect(run.progress?.window.from == 60_000)
        #expect(run.failure == nil)
        let read = try #require(try Sweep(json: sweep(with: run).jsonText).run)
        #expect(read == run)
    }

    @Test func `a run ends after its last window is skipped`() {
        var run = SweepRun(startedAt: 0, range: SweepRange(from: 0, to: 60_000), windows: 60_000)
        run.narrowWindow(windows: 60_000)
        #expect(run.progress?.pass == .all)
        run.narrowWindow(windows: 60_000)
        #expect(run.progress == nil)
        #expect(run.counts.unread == 2)
    }

    @Test func `a cancelled backfill is due immediately, and never again after its end`() throws {
        var sweep = sweep(.backfill("1"))
        sweep.begin(run())
        sweep.update(run(), nextAt: Self.start + 900_000)
        var wish = self.sweep(.backfill("1"))
        wish.cancelledAt = Self.start + 5
        let other = sweep
        _ = sweep.merge(wish)
        _ = wish.merge(other)
        #expect(wish == sweep)
        #expect(sweep.isToEnd)
        #expect(sweep.due == Self.start + 5)
        sweep.cancel(try #require(sweep.run), at: Self.start + 6)
        #expect(!sweep.isToEnd)
        #expect(sweep.due == nil)
        #expect(sweep.last?.isCancelled == true)
        #expect(try Sweep(json: sweep.jsonText) == sweep)
    }

    @Test func `other sweeps and completed backfills cannot be cancelled`() {
        var everything = sweep(.everything)
        everything.cancelledAt = Self.start
        #expect(!everything.isToEnd)
        #expect(everything.due == 0)
        var complete = sweep(.backfill("1"))
        complete.begin(run())
        complete.finish(run(), at: Self.start + 2, nextAt: nil)
        complete.cancelledAt = Self.start + 3
        #expect(!complete.isToEnd)
        #expect(complete.last?.isCancelled == false)
        #expect(complete.due == nil)
    }

    private func sweep(with run: SweepRun) -> Sweep {
        var sweep = sweep()
        sweep.begin(run)
        return sweep
    }

    @Test func `a new sweep is due immediately, and a finished one at its next time`() {
        #expect(sweep().due == 0)
        #expect(finished.due == Self.start + 3_600_000)
    }

    @Test func `after the correction of a clock that was ahead, the next run is due and prevails`() throws {
        let ahead = Self.start + 30 * 86_400_000
        var sweep = sweep()
        sweep.begin(run(startedAt: ahead))
        #expect(sweep.isDue(at: Self.start))
        sweep.finish(try #require(sweep.run), at: ahead + 1, nextAt: ahead + 3_600_000)
        #expect(sweep.isDue(at: Self.start))
        #expect(!sweep.isDue(at: ahead - 60_000))
        var before = sweep
        sweep.begin(run(startedAt: Self.start))
        sweep.finish(try #require(sweep.run), at: Self.start + 1, nextAt: Self.start + 3_600_000)
        #expect(!sweep.isDue(at: Self.start + 1))
        #expect(sweep.isDue(at: Self.start + 3_600_000))
        #expect(try Sweep(json: sweep.jsonText) == sweep)
        let isChanged = sweep.merge(before)
        _ = before.merge(sweep)
        #expect(!isChanged && before == sweep)
        #expect(sweep.last?.startedAt == Self.start)
        // Runs that begin after that time have no separate position again.
        sweep.begin(run(startedAt: ahead + 60_000))
        #expect(sweep.run?.order == ahead + 60_000)
    }

    @Test func `a run interrupted by a clock that was ahead continues after its correction`() throws {
        let ahead = Self.start + 30 * 86_400_000
        var sweep = sweep()
        sweep.begin(run())
        var run = try #require(sweep.run)
        sweep.update(run, nextAt: ahead)
        #expect(sweep.isDue(at: Self.start))
        run.failure = SweepRun.Failure(at: ahead, message: "no", count: 1)
        sweep.update(run, nextAt: ahead + 900_000)
        #expect(sweep.isDue(at: Self.start))
        run.failure = SweepRun.Failure(at: Self.start, message: "no", count: 1)
        sweep.update(run, nextAt: Self.start + 900_000)
        #expect(!sweep.isDue(at: Self.start))
    }

    @Test func `a run begun while the clock was ahead waits after a failure`() throws {
        var sweep = sweep()
        sweep.begin(run(startedAt: Self.start + 3_600_000))
        var run = try #require(sweep.run)
        run.failure = SweepRun.Failure(at: Self.start, message: "no", count: 1)
        sweep.update(run, nextAt: Self.start + 900_000)
        #expect(!sweep.isDue(at: Self.start))
        #expect(sweep.isDue(at: Self.start + 900_000))
    }

    @Test func `a completed backfill is not due, even if its clock was ahead`() {
        var sweep = sweep(.backfill("1"))
        sweep.begin(run(startedAt: Self.start + 86_400_000))
        sweep.finish(run(startedAt: Self.start + 86_400_000), at: Self.start + 86_400_000, nextAt: nil)
        #expect(!sweep.isDue(at: Self.start))
    }

    @Test func `a requested run is due immediately, but at least five minutes after the previous one`() {
        var sweep = finished
        sweep.wantedAt = Self.start - 1
        #expect(sweep.due == Self.start + 3_600_000)
        sweep.wantedAt = Self.start + 60_000
        #expect(sweep.due == Self.start + Sweep.spacing)
        sweep.wantedAt = Self.start + 900_000
        #expect(sweep.due == Self.start + 900_000)
    }

    @Test func `the later of two runs and the later of two steps prevail, in any order`() {
        var begun = sweep()
        begun.begin(run())
        var further = begun
        var run = run()
        run.counts.swept = 20
        further.update(run, nextAt: Self.start + 5)
        var later = finished
        later.begin(self.run(startedAt: Self.start + 3_600_000))
        var wanted = sweep()
        wanted.wantedAt = Self.start + 42
        let values = [sweep(), begun, further, finished, later, wanted]
        var generator = SeededGenerator(seed: 11)
        var results: Set<Sweep> = []
        for _ in 0..<50 {
            var whole = sweep()
            for value in (values + values).shuffled(using: &generator) { _ = whole.merge(value) }
            results.insert(whole)
        }
        #expect(results.count == 1)
        #expect(results.first?.run == later.run)
        #expect(results.first?.wantedAt == Self.start + 42)
    }

    @Test func `two members that took the same step reach the same value`() {
        var one = sweep()
        one.begin(run())
        var other = one
        var run = run()
        run.counts.swept = 1
        one.update(run, nextAt: 1)
        run.counts.swept = 2
        other.update(run, nextAt: 1)
        var (left, right) = (one, other)
        _ = left.merge(other)
        _ = right.merge(one)
        #expect(left == right)
    }

    @Test func `two requests at the same time are merged in any order`() {
        let values: [(Int64, Int64, Bool)] = [(1, 2, true), (1, 3, true), (0, 2, false), (0, 2, true)]
        let requests = values.map { from, to, isDryRun in
            Sweep.Request(range: SweepRange(from: from, to: to), isDryRun: isDryRun, requestedAt: Self.start)
        }
        for one in requests {
            for other in requests {
                var (left, right) = (sweep(.backfill("1")), sweep(.backfill("1")))
                (left.request, right.request) = (one, other)
                let before = left
                _ = left.merge(right)
                _ = right.merge(before)
                #expect(left == right)
            }
        }
    }

    @Test func `a request makes a backfill due, and its end is kept for 30 days`() throws {
        var sweep = sweep(.backfill("1"))
        sweep.request = Sweep.Request(range: SweepRange(from: 1, to: 2), isDryRun: true, requestedAt: Self.start)
        #expect(sweep.due == 0)
        sweep.begin(run())
        #expect(sweep.expiry == nil)
        sweep.finish(run(), at: Self.start, nextAt: nil)
        #expect(sweep.due == nil)
        #expect(sweep.expiry == Self.start + Sweep.retention)
    }

    @Test func `a sweep is parsed as it was formatted`() throws {
        var backfill = sweep(.backfill("20261123-1"))
        backfill.request = Sweep.Request(range: SweepRange(from: 1, to: 2), isDryRun: true, requestedAt: Self.start)
        backfill.wantedAt = 9
        var failing = sweep(.everything)
        var run = run()
        run.failure = SweepRun.Failure(at: 3, message: "no \"answer\"", count: 2)
        run.progress?.pageToken = "t"
        failing.begin(run)
        for sweep in [sweep(), finished, backfill, failing] {
            #expect(try Sweep(json: sweep.jsonText) == sweep)
            #expect(try ReconciliationRow(bytes: ReconciliationRow.sweep(sweep).bytes) == .sweep(sweep))
        }
        let listing = [finished, backfill]
        #expect(SweepListing.sweeps(json: SweepListing.json(listing)) == listing)
    }

    @Test func `times and counters in a row at the limits of their type do not trap`() throws {
        let greatest = "9223372036854775807"
        let range = #""from":-\#(greatest),"to":\#(greatest)"#
        let counts = #""calls":\#(greatest),"quarantined":\#(greatest),"refused":\#(greatest),"unread":\#(greatest)"#
        let run =
            #"{"startedAt":\#(greatest),\#(range),"progress":{"pass":0,"window":{\#(range)}},\#(counts),"#
            + #""failure":{"at":\#(greatest),"message":"no","count":\#(greatest)}}"#
        let text =
            #"{"formatVersion":1,"environment":"Production","bundleId":"com.example.app","kind":"failures","#
            + #""step":\#(greatest),"nextAt":\#(greatest),"run":\#(run)}"#
        var sweep = try Sweep(json: Array(text.utf8))
        var read = try #require(sweep.run)
        try #require(!read.range.to.subtractingReportingOverflow(read.range.from).overflow)
        #expect(read.progress?.share == 0)
        #expect(read.counts.notBroughtIn > 0)
        #expect(read.failure.map { $0.count + 1 } ?? 0 > 0)
        read.counts.calls += 1
        read.narrowWindow(windows: 1)
        #expect(read.progress?.window.from == read.range.from)
        sweep.update(read, nextAt: Self.start)
        #expect(try Sweep(json: sweep.jsonText).isRunning)
    }

    private func difference(_ purchase: String) throws -> StatusDifference {
        try #require(
            StatusDifference(
                PublishedSubscription(
                    OriginalTransactionId(purchase), isEntitled: true, state: "ACTIVE",
                    transactionId: TransactionId("\(purchase)1"), awaitsConfirmation: true),
                status: .revoked, latest: TransactionId("\(purchase)2")))
    }

    @Test func `differences are formatted with the sweep and parsed again`() throws {
        var sweep = sweep(.statuses)
        var run = SweepRun(startedAt: Self.start, range: SweepRange(from: 1, to: 2), windows: 1)
        var repaired = try difference("1")
        repaired.isRepaired = true
        run.note(repaired)
        run.counts.repaired = 3
        let unknown = try #require(
            StatusDifference(
                PublishedSubscription(OriginalTransactionId("2"), isEntitled: true), status: nil, latest: nil))
        run.note(unknown)
        run.progress?.pageToken = "2"
        sweep.begin(run)
        let read = try Sweep(json: sweep.jsonText)
        #expect(read == sweep)
        #expect(read.run?.differences.map(\.kind) == [.access, .unknown])
        #expect(read.run?.differences.map(\.isRepaired) == [true, false])
        #expect(read.run?.counts.repaired == 3 && read.run?.counts.unrepaired == 1)
        #expect(read.run?.progress?.pageToken == "2")
        let object = try #require(try JSONValue(json: sweep.jsonText).object?["run"]?.object)
        #expect(object["differing"]?.integer == 2)
    }

    @Test func `a sweep without differences has the earlier format and is parsed as having none`() throws {
        let text = String(decoding: finished.jsonText, as: UTF8.self)
        #expect(!text.contains("differ"))
        #expect(try Sweep(json: finished.jsonText).last?.counts.differing == 0)
    }

    @Test func `differences are listed up to the limit, and all are counted`() throws {
        var run = run()
        for number in 0..<60 { run.note(try difference("\(number)")) }
        #expect(run.counts.differing == 60)
        #expect(run.differences.count == SweepRun.namedMissing)
    }

    @Test func `an unknown later format is distinguished from a corrupted row`() {
        #expect(throws: RowFormatError.unknownFormat) { try Sweep(json: Array(#"{"formatVersion":2}"#.utf8)) }
        #expect(throws: RowFormatError.invalid) { try Sweep(json: Array(#"{"formatVersion":1}"#.utf8)) }
        #expect(throws: RowFormatError.invalid) { try Sweep(json: Array("[]".utf8)) }
        #expect(throws: RowFormatError.invalid) { try ReconciliationRow(bytes: []) }
    }

    @Test func `rows of different kinds are not merged`() {
        var row = ReconciliationRow.sweep(sweep())
        let isChanged = row.merge(.received(ReceivedNotifications(key: "k")))
        #expect(isChanged == nil)
    }

    @Test func `missing notifications are listed up to the limit, and all are counted`() {
        var run = run()
        for number in 0..<80 {
            run.note(
                missing: SweepRun.Missing(
                    NotificationUUID("\(number)"), .test, signedDate: AppStoreInstant(clampingMillisecondsSince1970: 0))
            )
        }
        #expect(run.counts.missing == 80)
        #expect(run.missing.count == SweepRun.namedMissing)
    }

    @Test func `keys of sweeps and of records never coincide`() {
        #expect(sweep().key == "sweep com.example.app/failures")
        #expect(SweepKind("backfill-7") == .backfill("7"))
        #expect(SweepKind("statuses") == .statuses)
        #expect(SweepKind("nothing") == nil)
    }
}
