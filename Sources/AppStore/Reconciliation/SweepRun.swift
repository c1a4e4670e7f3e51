package import AppStoreModel

/// One run of a sweep, with its progress or its result.
package struct SweepRun: Hashable, Sendable {
    /// The reason why the run is paused.
    package struct Failure: Hashable, Sendable {
        package let at: Int64
        /// The message for operators, without tokens, keys or customer data.
        package let message: String
        /// The number of consecutive failures.
        package let count: Int64

        package init(at: Int64, message: String, count: Int64) {
            self.at = at
            self.message = message
            self.count = count
        }
    }

    /// A notification that was missing from the topic.
    package struct Missing: Hashable, Sendable {
        package let notificationUUID: NotificationUUID
        package let notificationType: NotificationType
        package let signedDate: AppStoreInstant

        package init(
            _ notificationUUID: NotificationUUID, _ notificationType: NotificationType, signedDate: AppStoreInstant
        ) {
            self.notificationUUID = notificationUUID
            self.notificationType = notificationType
            self.signedDate = signedDate
        }
    }

    /// The counters of the run. A page read again after a crash is counted again in `calls` and, except in a dry run,
    /// in `swept`.
    package struct Counts: Hashable, Sendable {
        /// The number of requests to Apple.
        package var calls: Int64 = 0
        /// The number of notifications in Apple's history or, in a status sweep, of subscriptions queried.
        package var swept: Int64 = 0
        /// The number of notifications in the history that were missing from the topic.
        package var missing: Int64 = 0
        /// The number of missing notifications that were published: all of them, except in a dry run.
        package var published: Int64 = 0
        /// The number of nonconforming notifications written to the quarantine topic.
        package var quarantined: Int64 = 0
        /// The number of notifications that are not signed by Apple, belong to an app or environment that was not
        /// requested, or were rejected by Kafka. Each is written to the quarantine topic once, if Kafka accepts it, and
        /// is counted in every sweep that finds it.
        package var refused: Int64 = 0
        /// The number of notifications acknowledged before the topic's index begins; they may or may not be missing. In
        /// a status sweep, the number of subscriptions without an answer from Apple.
        package var unknown: Int64 = 0
        /// The number of subscriptions whose published state differs from Apple's status.
        package var differing: Int64 = 0
        /// The number of subscriptions that differed or needed an answer, and for which Apple's signed answer was
        /// published.
        package var repaired: Int64 = 0
        /// The number of differing subscriptions for which nothing was published.
        package var unrepaired: Int64 = 0
        /// The number of windows skipped because they could not be read after several attempts.
        package var unread: Int64 = 0

        /// The number of notifications that Apple returned but that were not published to the notification topic.
        package var notBroughtIn: Int64 { refused + quarantined }

        package init() {}
    }

    /// The maximum number of missing notifications to list. The limit also applies to the listed differences and unread
    /// windows.
    package static let namedMissing = 50

    /// The start of the run, in milliseconds since 1970.
    package let startedAt: Int64
    /// The position among the runs of a sweep: `startedAt` or, if the clock was ahead during an earlier run, a greater
    /// number, so that a later run always has a greater position.
    package internal(set) var order: Int64
    package let range: SweepRange
    package let isDryRun: Bool
    /// Whether the run was requested rather than due.
    package let isWanted: Bool
    /// Whether an operator ended the run before it was complete.
    package var isCancelled = false
    /// The progress, or nil if the run is complete.
    package var progress: SweepProgress?
    package var counts = Counts()
    /// The first missing notifications that the run found.
    package private(set) var missing: [Missing] = []
    /// The first differences that the run found.
    package private(set) var differences: [StatusDifference] = []
    /// The first windows that the run could not read.
    package private(set) var unread: [SweepRange] = []
    package var finishedAt: Int64?
    package var failure: Failure?

    package init(
        startedAt: Int64, range: SweepRange, windows length: Int64, isDryRun: Bool = false, isWanted: Bool = false
    ) {
        self.startedAt = startedAt
        order = startedAt
        self.range = range
        self.isDryRun = isDryRun
        self.isWanted = isWanted
        progress = SweepProgress(over: range, windows: length)
    }

    init(
        startedAt: Int64, order: Int64?, range: SweepRange, isDryRun: Bool, isWanted: Bool, isCancelled: Bool,
        progress: SweepProgress?, counts: Counts,
        missing: [Missing], differences: [StatusDifference] = [], unread: [SweepRange] = [], finishedAt: Int64?,
        failure: Failure?
    ) {
        self.startedAt = startedAt
        self.order = order ?? startedAt
        self.range = range
        self.isDryRun = isDryRun
        self.isWanted = isWanted
        self.isCancelled = isCancelled
        self.progress = progress
        self.counts = counts
        self.missing = missing
        self.differences = differences
        self.unread = unread
        self.finishedAt = finishedAt
        self.failure = failure
    }

    package mutating func note(missing notification: Missing) {
        counts.missing += 1
        if missing.count < Self.namedMissing { missing.append(notification) }
    }

    /// Narrows the current window because it cannot be read. If the window can be halved, its first half is read next;
    /// otherwise, the window is skipped.
    ///
    /// - Parameter length: the length of a window, in milliseconds.
    package mutating func narrowWindow(windows length: Int64) {
        guard var progress else { return }
        if progress.halve() {
            self.progress = progress
            return
        }
        counts.unread += 1
        if unread.count < Self.namedMissing { unread.append(progress.window) }
        failure = nil
        self.progress = progress.advance(windows: length) ? progress : nil
    }

    package mutating func note(_ difference: StatusDifference) {
        counts.differing += 1
        if !difference.isRepaired { counts.unrepaired += 1 }
        if differences.count < Self.namedMissing { differences.append(difference) }
    }
}
