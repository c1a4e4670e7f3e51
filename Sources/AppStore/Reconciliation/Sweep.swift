package import AppStoreModel

/// The sweeps of one kind in one app and environment: what is wanted, the run under way, the last complete one, and when
/// the next is due. A row of the reconciliation topic, written by the owner of its partition.
///
/// A join: of two values that of the later run, then of the later step, counts; the latest wish counts by itself.
package struct Sweep: Hashable, Sendable {
    /// What an operator asked for.
    package struct Request: Hashable, Sendable {
        package let range: SweepRange
        /// Nothing is published.
        package let isDryRun: Bool
        package let requestedAt: Int64

        package init(range: SweepRange, isDryRun: Bool, requestedAt: Int64) {
            self.range = range
            self.isDryRun = isDryRun
            self.requestedAt = requestedAt
        }
    }

    /// A run that is asked for does not begin sooner after the one before it began, in milliseconds.
    package static let spacing: Int64 = 300_000
    /// A backfill is remembered for so long after its end, in milliseconds.
    package static let retention: Int64 = 30 * 86_400_000

    package let environment: AppStoreEnvironment
    package let bundleId: BundleId
    package let kind: SweepKind
    /// Of a backfill.
    package var request: Request?
    /// A run is wanted that begins after this moment, because the ingress was unavailable until then; milliseconds since
    /// 1970.
    package var wantedAt: Int64?
    /// When an operator asked for the end of a backfill, milliseconds since 1970.
    package var cancelledAt: Int64?
    /// Ascending in one run.
    package private(set) var step: Int64 = 0
    /// Under way, or complete.
    package private(set) var run: SweepRun?
    /// The last complete one.
    package private(set) var last: SweepRun?
    /// When the run goes on, or the next begins; nil for never.
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

    /// No key of a notification record, which has a slash before any space.
    package var key: String { "sweep \(bundleId.rawValue)/\(kind.text)" }

    /// Whether the run is under way.
    package var isRunning: Bool { run?.progress != nil }

    /// Whether it is to be ended before it is complete.
    package var isToEnd: Bool { kind.isBackfill && cancelledAt != nil && last == nil }

    /// When there is something to do, milliseconds since 1970; nil for never.
    package var due: Int64? {
        if isToEnd { return cancelledAt }
        guard !isRunning, let wantedAt, wantedAt > run?.startedAt ?? .min else { return nextAt }
        let earliest = run.map { $0.startedAt.addingReportingOverflow(Self.spacing).partialValue } ?? wantedAt
        return min(max(wantedAt, earliest), nextAt ?? .max)
    }

    /// When the row is no longer needed, milliseconds since 1970; nil for never.
    package var expiry: Int64? {
        guard kind.isBackfill, !isRunning, let end = run?.finishedAt else { return nil }
        return end.addingReportingOverflow(Self.retention).partialValue
    }

    // MARK: Steps

    /// A run begins.
    package mutating func begin(_ run: SweepRun) {
        self.run = run
        step = 0
        nextAt = run.startedAt
    }

    /// The run came further, or failed.
    ///
    /// - Parameter nextAt: when it goes on.
    package mutating func update(_ run: SweepRun, nextAt: Int64) {
        self.run = run
        step += 1
        self.nextAt = nextAt
    }

    /// The run came to its end.
    ///
    /// - Parameter nextAt: of the next run; nil for none.
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

    /// The run ends before it is complete: no other begins.
    package mutating func cancel(_ run: SweepRun, at moment: Int64) {
        var run = run
        run.isCancelled = run.progress != nil
        finish(run, at: moment, nextAt: nil)
    }

    // MARK: Join

    /// Adds what another value of the same key knows.
    ///
    /// - Returns: whether it changed.
    package mutating func merge(_ other: Sweep) -> Bool {
        let before = self
        if let wanted = other.wantedAt { wantedAt = max(wanted, wantedAt ?? wanted) }
        if let cancelled = other.cancelledAt { cancelledAt = max(cancelled, cancelledAt ?? cancelled) }
        if let wish = other.request, request.map({ $0.requestedAt < wish.requestedAt }) ?? true { request = wish }
        let (known, new) = (version, other.version)
        if new > known || new == known && stateText.lexicographicallyPrecedes(other.stateText) {
            (step, run, last, nextAt) = (other.step, other.run, other.last, other.nextAt)
        }
        return self != before
    }

    private var version: (Int64, Int64) { (run?.startedAt ?? .min, step) }
}
