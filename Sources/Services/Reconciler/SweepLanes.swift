internal import Reconciliation

/// Which sweeps of this member run: at most one in each lane. A value without tasks or a clock.
///
/// Rows are read without a lock, and a sweep may end meanwhile. Its row is outdated then: it says that the run is under
/// way, from where it was before its end. A lane in which a sweep has ended since the rows were read waits for the next
/// look, or the complete run would begin again.
struct SweepLanes {
    enum Lane: Hashable, CaseIterable {
        case failures, everything, backfill, statuses
        /// Backfills that were cancelled while they did not run: their end waits for no other backfill.
        case cancelled

        init(_ kind: SweepKind) {
            self =
                switch kind {
                case .failures: .failures
                case .everything: .everything
                case .backfill: .backfill
                case .statuses: .statuses
                }
        }
    }

    private var running: [Lane: Sweep] = [:]
    /// Lanes in which a sweep has ended since the rows were read.
    private var ended: Set<Lane> = []

    /// The sweep that runs in a lane.
    subscript(lane: Lane) -> Sweep? { running[lane] }

    /// Rows are about to be read.
    mutating func beginLook() { ended = [] }

    /// Takes the lane of a sweep, whose row was read after ``beginLook()``.
    ///
    /// - Returns: the lane in which the sweep may run now; nil when it may not.
    mutating func begin(_ sweep: Sweep) -> Lane? {
        let own = Lane(sweep.kind)
        let lane = sweep.isToEnd ? .cancelled : own
        guard running[own]?.key != sweep.key, running[lane] == nil, ended.isDisjoint(with: [own, lane]) else {
            return nil
        }
        running[lane] = sweep
        return lane
    }

    /// The sweep of a lane has ended, and its row was saved.
    mutating func end(_ lane: Lane) {
        running[lane] = nil
        ended.insert(lane)
    }
}
