package import AppStoreModel

/// The sweeps of one kind for one app and environment: requests, the current run, the last complete run, and the next
/// due date. This is a row in the reconciliation topic, written by the owner of its partition.
///
/// Merging values is a join: the value with the later run takes precedence, then the one with the later step. Requests
/// are merged separately.
package struct Sweep: Hashable, Sendable {
    /// An operator's request.
    package struct Request: Hashable, Sendable {
        package let range: SweepRange
        /// Whether the run publishes nothing.
        package let isDryRun: Bool
        package let requestedAt: Int64

        package init(range: SweepRange, isDryRun: Bool, requestedAt: Int64) {
            self.range = range
            self.isDryRun = isDryRun
            self.requestedAt = requestedAt
        }

        /// Returns whether another request replaces this one. If two requests have the same time, the one that starts
        /// earlier is used, then the one that ends later, then a dry run. The order of merging does not matter.
        fileprivate func isOlder(than other: Request) -> Bool {
            if requestedAt != other.requestedAt { return requestedAt < other.requestedAt }
            return (-range.from, range.to, isDryRun ? 0 : 1)
                < (-other.range.from, other.range.to, other.isDryRun ? 0 : 1)
        }
    }

    /// The minimum interval between the start of a run and that of a subsequent requested run, in milliseconds.
    package static let spacing: Int64 = 300_000
    /// The maximum difference, in milliseconds, between the clocks of two members that are both considered correct.
    private static let clockTolerance: Int64 = 300_000
    /// How long a backfill is stored after it ends, in milliseconds.
    package static let retention: Int64 = 30 * 86_400_000

    package let environment: AppStoreEnvironment
    package let bundleId: BundleId
    package let kind: SweepKind
    /// The operator's request, present only for a backfill.
    package var request: Request?
    /// The time, in milliseconds since 1970, until which the ingress was unavailable. A run must begin at this time or
    /// later.
    package var wantedAt: Int64?
    /// The time when an operator cancelled a backfill, in milliseconds since 1970.
    package var cancelledAt: Int64?
    /// The number of updates in the current run.
    package private(set) var step: Int64 = 0
    /// The current run or, if no run is in progress, the last one.
    package private(set) var run: SweepRun?
    /// The last complete run.
    package private(set) var last: SweepRun?
    /// The time when the run continues or the next run begins, or nil for never.
    package private(set) var nextAt: Int64? = 0

    package init(_ environment: AppStoreEnvironment, _ bundleId: BundleId, _ kind: SweepKind) {
        self.environment = environment
        self.bundleId = bundleId
        self.kind = kind
    }

    init(
        _ environment: AppStoreEnvironment, _ bundleId: BundleId, _ kind: SweepKind, request: Request?,
        wantedAt: Int64?, cancelledAt: Int64?, step: Int64, run: SweepRun?, last: SweepRun?, nextAt: Int64?
    ) {
        self.init(environment, bundleId, kind)
        self.request = request
        self.wantedAt = wantedAt
        self.cancelledAt = cancelledAt
        self.step = step
        self.run = run
        self.last = last
        self.nextAt = nextAt
    }

    /// The key of the record. It cannot equal a key of a notification record, which has a slash before any space.
    package var key: String { "sweep \(bundleId.rawValue)/\(kind.text)" }

    /// Whether a run is in progress.
    package var isRunning: Bool { run?.progress != nil }

    /// Whether an operator has cancelled the backfill, but its run has not been ended yet.
    package var isToEnd: Bool { kind.isBackfill && cancelledAt != nil && last == nil }

    /// The time when the next action is due, in milliseconds since 1970, or nil for never.
    package var due: Int64? {
        if isToEnd { return cancelledAt }
        guard !isRunning, let wantedAt, wantedAt > run?.startedAt ?? .min else { return nextAt }
        let earliest = run.map { $0.startedAt.addingReportingOverflow(Self.spacing).partialValue } ?? wantedAt
        return min(max(wantedAt, earliest), nextAt ?? .max)
    }

    /// Returns whether the next action is due. It is due immediately if the row was written while the clock was ahead,
    /// because the time of the next action is then too late as well.
    ///
    /// - Parameter now: the current time, in milliseconds since 1970.
    package func isDue(at now: Int64) -> Bool {
        guard let due else { return false }
        return due <= now || isToEnd || isAhead(of: now)
    }

    private func isAhead(of now: Int64) -> Bool {
        guard let run else { return false }
        // The next action of a run in progress depends on its last failure or, without one, on its last update.
        let moments = isRunning ? [run.failure?.at ?? nextAt] : [run.startedAt, run.finishedAt]
        return moments.compactMap(\.self).contains { $0 - now > Self.clockTolerance }
    }

    /// The time when the row is no longer needed, in milliseconds since 1970, or nil for never.
    package var expiry: Int64? {
        guard kind.isBackfill, !isRunning, let end = run?.finishedAt else { return nil }
        return end.addingReportingOverflow(Self.retention).partialValue
    }

    // MARK: Runs

    /// Begins a run.
    package mutating func begin(_ run: SweepRun) {
        var run = run
        if let previous = self.run { run.order = max(run.startedAt, previous.order + 1) }
        self.run = run
        step = 0
        nextAt = run.startedAt
    }

    /// Records progress or a failure of the run.
    ///
    /// - Parameter nextAt: the time when the run continues.
    package mutating func update(_ run: SweepRun, nextAt: Int64) {
        self.run = run
        step += 1
        self.nextAt = nextAt
    }

    /// Completes the run.
    ///
    /// - Parameter nextAt: the start of the next run, or nil if there is none.
    package mutating func finish(_ run: SweepRun, at moment: Int64, nextAt: Int64?) {
        var run = run
        run.progress = nil
        run.failure = nil
        run.finishedAt = moment
        self.run = run
        last = run
        step += 1
        self.nextAt = nextAt
    }

    /// Ends the run before it is complete. No run follows.
    package mutating func cancel(_ run: SweepRun, at moment: Int64) {
        var run = run
        run.isCancelled = run.progress != nil
        finish(run, at: moment, nextAt: nil)
    }

    // MARK: Merging

    /// Merges another value with the same key.
    ///
    /// - Returns: whether this value changed.
    package mutating func merge(_ other: Sweep) -> Bool {
        let before = self
        if let wanted = other.wantedAt { wantedAt = max(wanted, wantedAt ?? wanted) }
        if let cancelled = other.cancelledAt { cancelledAt = max(cancelled, cancelledAt ?? cancelled) }
        if let wish = other.request, request.map({ $0.isOlder(than: wish) }) ?? true { request = wish }
        let (known, new) = (version, other.version)
        if new > known || new == known && stateText.lexicographicallyPrecedes(other.stateText) {
            (step, run, last, nextAt) = (other.step, other.run, other.last, other.nextAt)
        }
        return self != before
    }

    private var version: (Int64, Int64) { (run?.order ?? .min, step) }
}
