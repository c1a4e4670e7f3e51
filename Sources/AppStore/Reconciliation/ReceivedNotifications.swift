package import AppStoreModel

/// Which notifications of one key were in the notification topic: what the topic itself forgets after 30 days, while Apple
/// tells of them for 180.
///
/// A join: merged in any order and number, values become equal. What is older than ``retention`` before the newest entry
/// is left out, and of more than ``maximumEntries`` the newest remain.
package struct ReceivedNotifications: Hashable, Sendable {
    /// Longer than the 180 days that Apple's history reaches back. Milliseconds.
    package static let retention: Int64 = 190 * 86_400_000
    /// Of one key, 320 KiB.
    package static let maximumEntries = 16_384

    /// The key of the records; ``quarantined(_:)`` or ``partition(_:)``.
    package let key: String
    /// When each was signed or came, in minutes since 1970.
    package private(set) var minutes: [NotificationMark: UInt32] = [:]
    /// Of ``partition(_:)``: everything that came later than this (milliseconds since 1970) is known.
    package private(set) var since: Int64?

    package init(key: String) { self.key = key }

    /// One notification.
    ///
    /// - Parameter moment: when it was signed, or came if that was later.
    package init(key: String, _ mark: NotificationMark, at moment: AppStoreInstant) {
        self.key = key
        insert(mark, at: Self.minute(moment))
    }

    /// What a partition of the notification topic held when it was first read: everything later than a moment, in
    /// milliseconds since 1970.
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

    /// Adds what another value of the same key knows.
    ///
    /// - Returns: whether it changed.
    package mutating func merge(_ other: ReceivedNotifications) -> Bool {
        let before = self
        for (mark, minute) in other.minutes { insert(mark, at: minute) }
        if let since = other.since { self.since = min(since, self.since ?? .max) }
        prune()
        return self != before
    }

    /// When nothing of it is needed any more, milliseconds since 1970; nil for what says since when a partition is known.
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

// Keys of records have a slash before any space: a bundle id has neither.
extension ReceivedNotifications {
    /// The key of a nonconforming notification that was quarantined.
    package static func quarantined(_ mark: NotificationMark) -> String {
        "quarantined \(String(mark.high, radix: 16)).\(String(mark.low, radix: 16))"
    }

    /// The key of what is known of a partition of the notification topic.
    package static func partition(_ number: Int32) -> String { "partition \(number)" }
}
