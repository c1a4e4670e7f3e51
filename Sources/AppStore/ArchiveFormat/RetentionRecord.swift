package import AppStoreModel
internal import JSON
package import KafkaModel

/// A record of the erasures topic: what the retention of one log announces, or carries out. It is archived like every
/// record of the topic, so that each deletion of payloads has a leaf of its own, in another log than the one it is about.
package struct RetentionRecord: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Segments that end at or before `announced` are deleted a day later, if they are over still.
        case announce = "retention-announced"
        /// Segments that end at or before `minimum` are deleted, but for those that are held.
        case delete = "retention-deleted"
    }

    static let formatVersion: Int64 = 1
    private static let maximumValueBytes = 1 << 20
    /// Most ranges of kept segments that are named.
    package static let maximumKeptRanges = 20_000

    package let action: Action
    /// The log's origin.
    package let origin: String
    /// The first leaf whose object is kept.
    package let minimum: Int
    /// The first leaf whose object is kept after the next deletion.
    package let announced: Int?
    /// Segments below the minimum that stay, by their numbers in ascending order: for a legal hold or an unknown key. Nil
    /// where they are not named: in records of releases before, and where there are too many.
    package let kept: [Range<Int>]?
    /// Records that were archived before it are over.
    package let archivedBefore: AppStoreInstant
    package let at: AppStoreInstant
    /// Milliseconds since 1970.
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

    /// The record as it is produced. Its key is that of the log: compaction keeps the newest, the archive has all.
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

    /// Reads what ``jsonText`` writes; nil for another record of the topic.
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

    /// The first and the last segment: `3-7`, or `3`.
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
