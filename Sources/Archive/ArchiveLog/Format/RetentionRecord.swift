package import AppStoreModel
internal import JSON
package import KafkaModel

/// A record in the erasures topic that announces or documents a deletion in one log. It is archived like every record
/// in the topic, so each deletion has a leaf in a log other than the affected one.
package struct RetentionRecord: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Announces that segments ending at or before `announced` will be deleted a day later, if they are still
        /// expired.
        case announce = "retention-announced"
        /// Documents that all segments ending at or before `minimum` are deleted, except those under a hold.
        case delete = "retention-deleted"
    }

    static let formatVersion: Int64 = 1
    private static let maximumValueBytes = 1 << 20
    /// The maximum number of ranges of retained segments to list.
    package static let maximumKeptRanges = 20_000

    package let action: Action
    /// The origin of the log.
    package let origin: String
    /// The first leaf whose object is retained.
    package let minimum: Int
    /// The first leaf whose object is still retained after the next deletion; nil if no deletion is announced.
    package let announced: Int?
    /// The indexes, in ascending order, of the segments below the minimum that are retained because of a legal hold or
    /// an unknown key. Nil if there are too many to list, and in records from earlier releases.
    package let kept: [Range<Int>]?
    /// Records archived before this time are expired.
    package let archivedBefore: AppStoreInstant
    package let at: AppStoreInstant
    /// The time of this step, in milliseconds since 1970.
    package var atMilliseconds: Int64 { at.millisecondsSince1970 }

    package init(
        action: Action, origin: String, minimum: Int, announced: Int?, kept: [Range<Int>]? = nil,
        archivedBefore: AppStoreInstant, at: AppStoreInstant
    ) {
        self.action = action
        self.origin = origin
        self.minimum = minimum
        self.announced = announced
        self.kept = kept.flatMap { $0.count > Self.maximumKeptRanges ? nil : $0 }
        self.archivedBefore = archivedBefore
        self.at = at
    }

    /// Returns the record to produce. Its key identifies the log, so compaction keeps only the log's newest record; the
    /// archive contains all records.
    package func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(topic: topic, key: Array("retention/\(origin)".utf8), value: jsonText)
    }

    /// The record's value.
    package var jsonText: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("version", Self.formatVersion)
            object.set("action", action.rawValue)
            object.set("origin", origin)
            object.set("minimum", Int64(minimum))
            object.set("announced", announced.map { Int64($0) })
            if let kept {
                object.array("kept") { array in for range in kept { array.string(Self.text(range)) } }
            }
            object.set("archivedBefore", archivedBefore.description)
            object.set("at", at.description)
        }
        return writer.bytes
    }

    /// Parses the output of ``jsonText``. Returns nil for any other record in the topic.
    package init?(json: [UInt8]) {
        guard let root = try? JSONDocument.object(json, maximumBytes: Self.maximumValueBytes).root,
            root["version"]?.flooredInteger == Self.formatVersion,
            let action = root["action"]?.string.flatMap(Action.init(rawValue:)),
            let origin = root["origin"]?.string,
            let minimum = root["minimum"]?.flooredInteger.flatMap({ Int(exactly: $0) }), minimum >= 0,
            let archivedBefore = root["archivedBefore"]?.string.flatMap({ AppStoreInstant(rfc3339: $0) }),
            let at = root["at"]?.string.flatMap({ AppStoreInstant(rfc3339: $0) })
        else { return nil }
        var kept: [Range<Int>]?
        if let elements = root["kept"]?.elements {
            let ranges = elements.map { $0.string.flatMap(Self.range) }
            guard !ranges.contains(nil) else { return nil }
            kept = ranges.compactMap(\.self)
        }
        self.init(
            action: action, origin: origin, minimum: minimum,
            announced: root["announced"]?.flooredInteger.flatMap { Int(exactly: $0) }, kept: kept,
            archivedBefore: archivedBefore, at: at)
    }

    /// Returns the first and last segment as text, such as `3-7`, or `3` if there is only one.
    private static func text(_ range: Range<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound - 1)"
    }

    private static func range(_ text: String) -> Range<Int>? {
        let numbers = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
        guard let first = numbers.first ?? nil, let last = numbers.last ?? nil, first >= 0, last >= first, last < .max
        else { return nil }
        return first..<last + 1
    }
}
