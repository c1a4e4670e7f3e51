package import AppStoreModel
internal import JSON
package import KafkaModel

/// A record in the erasures topic that documents the decryption of archived payloads for a reader. It is published
/// before any payload is shown, and is archived like every record in the topic, so it cannot be retracted.
package struct RevealRecord: Hashable, Sendable {
    /// The command that decrypted the payloads.
    package enum Command: String, Hashable, Sendable, CaseIterable {
        case show, export, disclose, replay
    }

    static let formatVersion: Int64 = 1
    private static let action = "reveal"
    /// The maximum length of an author, reason, request or scope, in bytes.
    package static let maximumTextBytes = 1024
    /// The maximum number of listed records; ``count`` includes all records.
    package static let maximumPositions = 1000
    private static let maximumValueBytes = 1 << 20

    package let command: Command
    /// The name of the operator who decrypts the payloads; never empty.
    package let author: String
    /// The reason: a code or a few words, without personal data.
    package let reason: String
    /// The operator's reference to the request or the case, without personal data.
    package let request: String
    /// A description of the selected records (topics, times, an app) if they are not listed individually.
    package let scope: String
    /// The pseudonyms of the records' subjects, if the records were selected by subject or there are only a few.
    package let subjects: [SubjectMark]
    /// The id of the pseudonym key, 16 hexadecimal digits.
    package let marks: String
    /// The records, in the format `<topic>/<partition>@<offset>`.
    package let positions: [String]
    /// The number of records; nil if it is not known in advance.
    package let count: Int?
    package let at: AppStoreInstant

    /// - Parameter positions: all records; empty if only the scope is known.
    /// - Throws: ``ArchiveError``: `malformedContent` if there is no author, or `tooLong` if a string exceeds its
    ///   limit.
    package init(
        _ command: Command, author: String, reason: String = "", request: String = "", scope: String = "",
        subjects: [SubjectMark] = [], marks: String, positions: [String] = [], at: AppStoreInstant
    ) throws(ArchiveError) {
        guard author.contains(where: { !$0.isWhitespace }) else { throw Self.malformed("author") }
        for text in [author, reason, request, scope] where text.utf8.count > Self.maximumTextBytes {
            throw ArchiveError(.tooLong, "a string is too long: \(text.utf8.count) bytes")
        }
        self.init(
            command: command, author: author, reason: reason, request: request, scope: scope,
            subjects: Array(subjects.prefix(Self.maximumPositions)), marks: marks,
            positions: Array(positions.prefix(Self.maximumPositions)),
            count: positions.isEmpty ? nil : positions.count, at: at)
    }

    private init(
        command: Command, author: String, reason: String, request: String, scope: String, subjects: [SubjectMark],
        marks: String, positions: [String], count: Int?, at: AppStoreInstant
    ) {
        self.command = command
        self.author = author
        self.reason = reason
        self.request = request
        self.scope = scope
        self.subjects = subjects
        self.marks = marks
        self.positions = positions
        self.count = count
        self.at = at
    }

    /// Returns the record to produce.
    ///
    /// - Parameter nonce: makes the record's key unique, so that compaction never removes a reveal record.
    package func produced(to topic: KafkaTopic, nonce: String) -> KafkaProducerRecord {
        let key = "\(Self.action)/\(at.millisecondsSince1970)/\(nonce)"
        return KafkaProducerRecord(topic: topic, key: Array(key.utf8), value: jsonText)
    }

    /// The record's value.
    package var jsonText: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("version", Self.formatVersion)
            object.set("action", Self.action)
            object.set("command", command.rawValue)
            object.set("author", author)
            object.set("reason", reason)
            object.set("request", request)
            object.set("scope", scope)
            object.array("subjects") { array in for subject in subjects { array.string(subject.hex) } }
            object.set("marks", marks)
            object.array("positions") { array in for position in positions { array.string(position) } }
            object.set("count", count.map { Int64($0) })
            object.set("at", at.description)
        }
        return writer.bytes
    }

    /// Parses the output of ``jsonText``. Returns nil for any other record in the topic, including one with a later
    /// format version.
    package init?(json: [UInt8]) {
        guard let root = try? JSONDocument.object(json, maximumBytes: Self.maximumValueBytes).root,
            root["version"]?.flooredInteger == Self.formatVersion, root["action"]?.string == Self.action,
            let command = root["command"]?.string.flatMap(Command.init(rawValue:)),
            let author = root["author"]?.string, !author.isEmpty, let reason = root["reason"]?.string,
            let request = root["request"]?.string, let scope = root["scope"]?.string,
            let marks = root["marks"]?.string,
            let at = root["at"]?.string.flatMap({ AppStoreInstant(rfc3339: $0) })
        else { return nil }
        self.init(
            command: command, author: author, reason: reason, request: request, scope: scope,
            subjects: (root["subjects"]?.elements ?? []).compactMap { $0.string.flatMap(SubjectMark.init(hex:)) },
            marks: marks, positions: (root["positions"]?.elements ?? []).compactMap(\.string),
            count: root["count"]?.flooredInteger.flatMap { Int(exactly: $0) }, at: at)
    }

    private static func malformed(_ member: String) -> ArchiveError {
        ArchiveError(.malformedContent, "not a reveal record: \(member)")
    }
}
