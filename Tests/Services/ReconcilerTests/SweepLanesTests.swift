import AppStoreModel
import Reconciliation
import Testing

@testable import Reconciler

/// The selection of sweeps that may run concurrently.
@Suite struct SweepLanesTests {
    private func sweep(_ kind: SweepKind, _ app: String = "com.example.app") -> Sweep {
        Sweep(.production, BundleId(app), kind)
    }

    /// Returns whether each sweep may run, in order.
    private func begin(_ sweeps: [Sweep], in lanes: inout SweepLanes) -> [Bool] {
        sweeps.map { lanes.begin($0) != nil }
    }

    @Test func `one sweep runs in each lane`() {
        var lanes = SweepLanes()
        lanes.beginLook()
        let begun = begin(
            [
                sweep(.statuses), sweep(.statuses, "com.example.other"), sweep(.failures), sweep(.everything),
                sweep(.backfill("1")), sweep(.backfill("2")),
            ], in: &lanes)
        #expect(begun == [true, false, true, true, true, false])
        #expect(lanes[.statuses]?.bundleId == BundleId("com.example.app"))
    }

    @Test func `a sweep that ends after the rows were read is not restarted from its outdated row`() {
        var lanes = SweepLanes()
        lanes.beginLook()
        #expect(begin([sweep(.statuses)], in: &lanes) == [true])

        // The next check reads that the run is in progress, but the run ends before the check makes its decision.
        lanes.beginLook()
        lanes.end(.statuses)
        #expect(lanes[.statuses] == nil)
        #expect(begin([sweep(.statuses), sweep(.failures)], in: &lanes) == [false, true])

        lanes.beginLook()
        #expect(begin([sweep(.statuses)], in: &lanes) == [true])
    }

    private func cancelled(_ id: String) -> Sweep {
        var sweep = sweep(.backfill(id))
        sweep.cancelledAt = 1
        return sweep
    }

    @Test func `a cancelled backfill waits only for its own run`() {
        var lanes = SweepLanes()
        lanes.beginLook()
        #expect(lanes.begin(sweep(.backfill("1"))) == .backfill)
        #expect(lanes.begin(cancelled("1")) == nil)
        #expect(lanes.begin(cancelled("2")) == .cancelled)
        #expect(lanes.begin(cancelled("3")) == nil)

        // The run may be complete although the row shows it as running.
        lanes.beginLook()
        lanes.end(.cancelled)
        lanes.end(.backfill)
        #expect(lanes.begin(cancelled("1")) == nil)
        lanes.beginLook()
        #expect(lanes.begin(cancelled("1")) == .cancelled)
        lanes.end(.cancelled)
        #expect(lanes.begin(cancelled("1")) == nil)
    }
}
