internal import JSON
package import Kafka
internal import Primitives

/// The value of a record in the control topic: whether a consumer group is paused, with the reason and the author. The
/// record key is the group name; the last record for a key is in effect.
///
/// The JSON Schema is `deploy/control-record.schema.json`.
package struct ControlRecord: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// No member of the group handles records.
        case paused
        /// The group handles records. Also the state of a group that has no record.
        case running
    }

    /// The format version, in the `version` member.
    package static let formatVersion: Int64 = 1
    /// The maximum length in bytes of the reason and of the author's name.
    package static let maximumTextBytes = 256
    /// The maximum length of a value to parse, in bytes.
    private static let maximumValueBytes = 16_384

    package let state: State
    /// The reason for the change, without control characters. Empty only if the group is running.
    package let reason: String
    /// The person who made the change, without control characters. Never empty.
    package let author: String
    /// The time of the change in milliseconds since 1970, within the years 0 to 9999.
    package let atMilliseconds: Int64

    /// - Returns: nil if the reason or the author is too long or contains a control character, if a required value is
    ///   missing, or if the time is outside the years 0 to 9999.
    package init?(state: State, reason: String, author: String, atMilliseconds: Int64) {
        guard Self.isText(reason), Self.isText(author), !author.isEmpty, state == .running || !reason.isEmpty,
            RFC3339.range.contains(atMilliseconds)
        else { return nil }
        self.state = state
        self.reason = reason
        self.author = author
        self.atMilliseconds = atMilliseconds
    }

    /// Returns whether text can be used as a reason or an author: a single line of at most ``maximumTextBytes``.
    package static func isText(_ text: String) -> Bool {
        text.utf8.count <= maximumTextBytes
            && text.unicodeScalars.allSatisfy { scalar in
                ![.control, .lineSeparator, .paragraphSeparator, .format].contains(scalar.properties.generalCategory)
            }
    }

    /// The record's value.
    package var json: [UInt8] {
        JSONWriter.text { writer in
            writer.object { object in
                object.set("version", Self.formatVersion)
                object.set("state", state.rawValue)
                object.set("reason", reason.isEmpty ? nil : reason)
                object.set("author", author)
                object.set("at", RFC3339.text(milliseconds: atMilliseconds))
            }
        }
    }

    /// Parses the output of ``json``. Unknown members are ignored.
    ///
    /// - Throws: ``ControlRecordError`` for any other input, including records with a later format version.
    package init(json: [UInt8]) throws(ControlRecordError) {
        let root: JSONElement
        do { root = try JSONDocument.object(json, maximumBytes: Self.maximumValueBytes).root } catch {
            throw ControlRecordError(description: "the value is not a JSON object, or is too large")
        }
        guard root["version"]?.flooredInteger == Self.formatVersion else { throw .member("version") }
        guard let state = root["state"]?.string.flatMap(State.init(rawValue:)) else { throw .member("state") }
        guard let author = root["author"]?.string else { throw .member("author") }
        guard let at = root["at"]?.string.flatMap({ RFC3339.milliseconds(Array($0.utf8)) }) else {
            throw .member("at")
        }
        guard let reason = root["reason"].map(\.string) ?? .some("") else { throw .member("reason") }
        guard let record = Self(state: state, reason: reason, author: author, atMilliseconds: at) else {
            throw .member("reason or author")
        }
        self = record
    }

    /// The partition that contains all records. If the topic has others, nothing reads them.
    package static let partition: KafkaPartition = 0

    /// Returns the record to produce.
    package func produced(to topic: KafkaTopic, for group: KafkaConsumerGroup) -> KafkaProducerRecord {
        KafkaProducerRecord(topic: topic, partition: Self.partition, key: Array(group.rawValue.utf8), value: json)
    }
}

/// A malformed record in the control topic.
package struct ControlRecordError: Error, CustomStringConvertible {
    package let description: String

    static func member(_ name: String) -> ControlRecordError {
        ControlRecordError(description: "\(name) is missing or invalid")
    }
}

extension ControlRecord: CustomStringConvertible {
    /// The change as a line of text: `paused by ann since 2026-11-27T09:00:00.000Z: reason`.
    package var description: String {
        "\(state.rawValue) by \(author) since \(RFC3339.text(milliseconds: atMilliseconds))"
            + (reason.isEmpty ? "" : ": \(reason)")
    }
}
