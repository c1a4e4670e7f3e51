package import AppStoreModel

/// One run of a sweep: how far it is, or what it found.
package struct SweepRun: Hashable, Sendable {
    /// Why it does not go on at the moment.
    package struct Failure: Hashable, Sendable {
        package let at: Int64
        /// In words; no tokens, keys or customers' data.
        package let message: String
        /// In a row.
        package let count: Int64

        package init(at: Int64, message: String, count: Int64) {
            self.at = at
            self.message = message
            self.count = count
        }
    }

    /// A notification that was not in the topic.
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

    /// What it counted. A page that is read again after a crash is counted once more in `swept` and `calls`.
    package struct Counts: Hashable, Sendable {
        /// Requests to Apple.
        package var calls: Int64 = 0
        /// Notifications in Apple's history; subscriptions about which Apple was asked, one way or the other.
        package var swept: Int64 = 0
        /// Of these not in the topic.
        package var missing: Int64 = 0
        /// Of these published: all of them, but for a dry run.
        package var published: Int64 = 0
        /// Nonconforming, and written to the quarantine topic.
        package var quarantined: Int64 = 0
        /// Not Apple's, of another app or environment than was asked for, or not taken by Kafka. Each is written to the
        /// quarantine topic once, where Kafka takes it, and counts in every sweep that finds it.
        package var refused: Int64 = 0
        /// Acknowledged before what is known of the topic begins: neither missing nor known. Subscriptions about which
        /// Apple gave no answer.
        package var unknown: Int64 = 0
        /// Subscriptions that differ from Apple's statuses.
        package var differing: Int64 = 0
        /// Subscriptions about which Apple's signed answer was published: those that differ, and those that need it.
        package var repaired: Int64 = 0
        /// Of those that differ the ones about which nothing was published.
        package var unrepaired: Int64 = 0
        /// Windows that could not be read, and were given up after several attempts.
        package var unread: Int64 = 0

        /// Notifications that Apple returned and that were not published.
        package var notBroughtIn: Int64 { refused + quarantined }

        package init() {}
    }

    /// At most so many of the missing ones are named, of those that differ, and of windows that were not read.
    package static let namedMissing = 50

    /// Milliseconds since 1970; names the run.
    package let startedAt: Int64
    package let range: SweepRange
    package let isDryRun: Bool
    /// It was asked for, and did not begin because its time had come.
    package let isWanted: Bool
    /// An operator ended it before it was complete.
    package var isCancelled = false
    /// Nil when it is complete.
    package var progress: SweepProgress?
    package var counts = Counts()
    /// The first ones.
    package private(set) var missing: [Missing] = []
    /// The first ones.
    package private(set) var differences: [StatusDifference] = []
    /// The first windows that were not read.
    package private(set) var unread: [SweepRange] = []
    package var finishedAt: Int64?
    package var failure: Failure?

    package init(
        startedAt: Int64, range: SweepRange, windows length: Int64, isDryRun: Bool = false, isWanted: Bool = false
    ) {
        self.startedAt = startedAt
        self.range = range
        self.isDryRun = isDryRun
        self.isWanted = isWanted
        progress = SweepProgress(over: range, windows: length)
    }

    init(
        startedAt: Int64, range: SweepRange, isDryRun: Bool, isWanted: Bool, isCancelled: Bool,
        progress: SweepProgress?, counts: Counts,
        missing: [Missing], differences: [StatusDifference] = [], unread: [SweepRange] = [], finishedAt: Int64?,
        failure: Failure?
    ) {
        self.startedAt = startedAt
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

    /// The present window cannot be read. Its first half is read next, where it can be halved; otherwise it is given up,
    /// and the window after it comes next.
    ///
    /// - Parameter length: of a window, in milliseconds.
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
