package import AppStoreModel

/// The notifications for a single key that were found in the notification topic. The topic retains them for 30 days,
/// Apple's history for 180 days.
///
/// Merging is commutative, associative and idempotent. Entries more than ``retention`` older than the newest entry are
/// dropped. If more than ``maximumEntries`` remain, only the newest are kept.
package struct ReceivedNotifications: Hashable, Sendable {
    /// The retention in milliseconds. It is longer than Apple's history, which covers 180 days.
    package static let retention: Int64 = 190 * 86_400_000
    /// The maximum number of entries per key (320 KiB).
    package static let maximumEntries = 16_384

    /// The key of the record. Special rows have the key ``quarantined(_:)`` or ``partition(_:)``.
    package let key: String
    /// The date of each notification in minutes since 1970: the time when it was signed or, if later, when it arrived.
    package private(set) var minutes: [NotificationMark: UInt32] = [:]
    /// In a row with the key ``partition(_:)``, the time from which that partition's index is complete, in milliseconds
    /// since 1970. Nil in other rows.
    package private(set) var since: Int64?

    package init(key: String) { self.key = key }

    /// Creates a value with one notification.
    ///
    /// - Parameter moment: the time when the notification was signed or, if later, when it arrived.
    package init(key: String, _ mark: NotificationMark, at moment: AppStoreInstant) {
        self.key = key
        insert(mark, at: Self.minute(moment))
    }

    /// Creates the row that records where the index of one notification topic partition starts. The index contains all
    /// records later than `since`, in milliseconds since 1970.
    package init(partition: Int32, since: Int64) {
        key = Self.partition(partition)
        self.since = since
    }

    init(key: String, minutes: [NotificationMark: UInt32], since: Int64?) {
        self.key = key
        self.minutes = minutes
        self.since = since
        prune()
    }

    package func contains(_ mark: NotificationMark) -> Bool { minutes[mark] != nil }

    /// Merges another value with the same key.
    ///
    /// - Returns: whether this value changed.
    package mutating func merge(_ other: ReceivedNotifications) -> Bool {
        let before = self
        for (mark, minute) in other.minutes { insert(mark, at: minute) }
        if let since = other.since { self.since = min(since, self.since ?? .max) }
        prune()
        return self != before
    }

    /// The time when all entries have expired, in milliseconds since 1970. Nil if there are no entries: the row that
    /// records the start of a partition's index never expires.
    package var expiry: Int64? {
        minutes.values.max().map { Int64($0) * 60_000 + Self.retention }
    }

    private mutating func insert(_ mark: NotificationMark, at minute: UInt32) {
        minutes[mark] = max(minute, minutes[mark] ?? 0)
    }

    private mutating func prune() {
        guard let newest = minutes.values.max() else { return }
        let oldest = Int64(newest) - Self.retention / 60_000
        if minutes.values.contains(where: { Int64($0) < oldest }) { minutes = minutes.filter { $0.value >= oldest } }
        guard minutes.count > Self.maximumEntries else { return }
        let kept = minutes.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(Self.maximumEntries)
        minutes = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    private static func minute(_ moment: AppStoreInstant) -> UInt32 {
        UInt32(clamping: moment.millisecondsSince1970 / 60_000)
    }
}

// These keys cannot equal the keys of notification records: in those, a slash precedes any space, because a bundle ID
// contains neither.
extension ReceivedNotifications {
    /// Returns the key of a quarantined, nonconforming notification.
    package static func quarantined(_ mark: NotificationMark) -> String {
        "quarantined \(String(mark.high, radix: 16)).\(String(mark.low, radix: 16))"
    }

    /// Returns the key of the row that records where the index of one notification topic partition starts.
    package static func partition(_ number: Int32) -> String { "partition \(number)" }
}
