import AppStoreModel
import TestSupport
import Testing

@testable import Reconciliation

@Suite struct ReceivedNotificationsTests {
    static let day: Int64 = 86_400_000
    static let start: Int64 = 1_795_435_200_000

    private func received(_ id: String, day: Int64) -> ReceivedNotifications {
        ReceivedNotifications(
            key: "com.example.app/1", NotificationMark(of: id),
            at: AppStoreInstant(clampingMillisecondsSince1970: Self.start + day * Self.day))
    }

    @Test func `merging in any order yields equal values, even if old entries are evicted`() {
        let parts = (0..<40).map { received("n-\($0)", day: $0 * 10) }
        var generator = SeededGenerator(seed: 7)
        let merged = (0..<20).map { _ in
            var whole = ReceivedNotifications(key: "com.example.app/1")
            // Each part is merged twice.
            for part in (parts + parts).shuffled(using: &generator) { _ = whole.merge(part) }
            return whole
        }
        #expect(Set(merged).count == 1)
        // The newest entry is from day 390, and 190 days earlier is day 200.
        #expect(merged[0].minutes.count == 20)
        #expect(merged[0].contains(NotificationMark(of: "n-20")))
        #expect(!merged[0].contains(NotificationMark(of: "n-19")))
    }

    @Test func `an entry outlives Apple's history of 180 days`() throws {
        var whole = received("old", day: 0)
        _ = whole.merge(received("new", day: 180))
        #expect(whole.contains(NotificationMark(of: "old")))
        let expiry = try #require(received("old", day: 0).expiry)
        #expect(expiry > Self.start + 180 * Self.day)
    }

    @Test func `merging known entries changes nothing`() {
        var whole = received("a", day: 1)
        let first = whole.merge(received("b", day: 2))
        let known = whole
        let second = whole.merge(received("b", day: 2))
        #expect(first && !second)
        #expect(whole == known)
    }

    @Test func `the earliest start of a partition is kept and never expires`() {
        var partition = ReceivedNotifications(partition: 3, since: 500)
        let later = partition.merge(ReceivedNotifications(partition: 3, since: 900))
        let earlier = partition.merge(ReceivedNotifications(partition: 3, since: 100))
        #expect(!later && earlier)
        #expect(partition.since == 100)
        #expect(partition.expiry == nil)
    }

    @Test func `only the newest entries are kept, up to the limit`() {
        var whole = ReceivedNotifications(
            key: "k",
            minutes: Dictionary(
                uniqueKeysWithValues: (0..<ReceivedNotifications.maximumEntries).map {
                    (NotificationMark(high: 1, low: UInt64($0)), UInt32(1_000 + $0))
                }), since: nil)
        _ = whole.merge(
            ReceivedNotifications(key: "k", minutes: [NotificationMark(high: 2, low: 0): 999], since: nil))
        #expect(whole.minutes.count == ReceivedNotifications.maximumEntries)
        #expect(!whole.contains(NotificationMark(high: 2, low: 0)))
    }

    @Test func `UUIDs are compared case-insensitively`() {
        #expect(NotificationMark(of: "6FF4-ab") == NotificationMark(of: "6ff4-AB"))
        #expect(NotificationMark(of: "6ff4-ab") != NotificationMark(of: "6ff4-ac"))
    }

    @Test func `serialization is lossless and takes 20 bytes per notification`() throws {
        var whole = received("a", day: 1)
        let one = whole.bytes.count
        _ = whole.merge(received("b", day: 2))
        #expect(whole.bytes.count == one + 20)
        #expect(try ReceivedNotifications(bytes: whole.bytes) == whole)
        let partition = ReceivedNotifications(partition: 3, since: -1)
        #expect(try ReceivedNotifications(bytes: partition.bytes) == partition)
    }

    @Test func `truncated or changed bytes are rejected or parsed and never trap`() throws {
        var whole = received("a", day: 1)
        _ = whole.merge(received("b", day: 2))
        let bytes = whole.bytes
        for count in 0..<bytes.count where (bytes.count - count) % 20 != 0 {
            #expect(throws: RowFormatError.self) { try ReceivedNotifications(bytes: Array(bytes.prefix(count))) }
        }
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 0xFF
            _ = try? ReceivedNotifications(bytes: changed)
        }
        #expect(throws: RowFormatError.unknownFormat) { try ReceivedNotifications(bytes: [2, 0, 0, 0]) }
    }
}
