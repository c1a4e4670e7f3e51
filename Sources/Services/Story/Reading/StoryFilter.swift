package import Kafka
internal import Primitives

/// Excludes records that cannot belong to a story, based on their raw bytes. The remaining records are examined
/// afterwards.
package enum StoryFilter {
    /// Keeps records whose value may contain an identifier. UUIDs may be in uppercase.
    package static func mentioning(_ text: String) -> KafkaRecordFilter {
        let isMentioned = mentions(of: text)
        return KafkaRecordFilter { _, value in isMentioned(value) }
    }

    /// Keeps records with one of these keys and records whose value may contain the notification's UUID.
    package static func keyed(_ keys: Set<[UInt8]>, notificationUUID: String?) -> KafkaRecordFilter {
        let lengths = Set(keys.map(\.count))
        let isMentioned = notificationUUID.map(mentions)
        return KafkaRecordFilter { key, value in
            if let key, lengths.contains(key.count), keys.contains(Array(key)) { return true }
            return isMentioned?(value) ?? false
        }
    }

    /// Returns a function that searches a value for a string. The function also accepts a null value, which cannot be
    /// searched, and a value with a backslash, because a JSON escape can spell the string differently.
    private static func mentions(of text: String) -> @Sendable (UnsafeRawBufferPointer?) -> Bool {
        let spellings = Set([text, text.uppercased()]).map { ByteSearch(Array($0.utf8)) }
        let escape = ByteSearch([UInt8(ascii: "\\")])
        return { value in
            guard let value else { return true }
            return spellings.contains { $0.isFound(in: value) } || escape.isFound(in: value)
        }
    }
}
