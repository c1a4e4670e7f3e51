internal import Reconciliation

/// The running sweeps of this member, at most one per lane. A value without tasks or a clock.
///
/// Rows are read without a lock, so a sweep may end in the meantime, and its row then still shows an unfinished run at
/// an old position. A lane in which a sweep has ended since the rows were read is therefore blocked until the next
/// read; otherwise the complete run would start again.
struct SweepLanes {
    enum Lane: Hashable, CaseIterable {
        case failures, everything, backfill, statuses
        /// Backfills cancelled while not running: ending them does not wait for another backfill.
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

    /// The running sweep of a lane.
    subscript(lane: Lane) -> Sweep? { running[lane] }

    /// Unblocks the lanes before rows are read.
    mutating func beginLook() { ended = [] }

    /// Reserves the lane of a sweep with a row read after ``beginLook()``.
    ///
    /// - Returns: the lane in which the sweep may run now; nil if it may not.
    mutating func begin(_ sweep: Sweep) -> Lane? {
        let own = Lane(sweep.kind)
        let lane = sweep.isToEnd ? .cancelled : own
        guard running[own]?.key != sweep.key, running[lane] == nil, ended.isDisjoint(with: [own, lane]) else {
            return nil
        }
        running[lane] = sweep
        return lane
    }

    /// Frees a lane after its sweep has ended and its row was saved.
    mutating func end(_ lane: Lane) {
        running[lane] = nil
        ended.insert(lane)
    }
}
