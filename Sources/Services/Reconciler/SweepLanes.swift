internal import Reconciliation

/// The sweeps running on this member, at most one per lane. Starts no tasks itself.
///
/// Rows are read without a lock, so a sweep may end after its row was read; the row then still shows an unfinished run
/// at an old position. A lane in which a sweep has ended since the rows were read is therefore blocked until the next
/// read. Otherwise, the completed run would start again.
struct SweepLanes {
    enum Lane: Hashable, CaseIterable {
        case failures, everything, backfill, statuses
        /// Backfills that were cancelled while not running. They can end while another backfill is running.
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
    /// The lanes in which a sweep has ended since the rows were read.
    private var ended: Set<Lane> = []

    /// Returns the sweep running in a lane, if any.
    subscript(lane: Lane) -> Sweep? { running[lane] }

    /// Unblocks all lanes, before rows are read.
    mutating func beginLook() { ended = [] }

    /// Reserves a lane for a sweep. The sweep's row must have been read after ``beginLook()``.
    ///
    /// - Returns: the lane in which the sweep can run now, or nil if there is none.
    mutating func begin(_ sweep: Sweep) -> Lane? {
        let own = Lane(sweep.kind)
        let lane = sweep.isToEnd ? .cancelled : own
        guard running[own]?.key != sweep.key, running[lane] == nil, ended.isDisjoint(with: [own, lane]) else {
            return nil
        }
        running[lane] = sweep
        return lane
    }

    /// Frees a lane after its sweep has ended and the sweep's row has been saved.
    mutating func end(_ lane: Lane) {
        running[lane] = nil
        ended.insert(lane)
    }
}
