package import AppStoreModel
internal import JSON
package import KafkaModel

/// A record in the erasures topic: one decision about one subject, applied by every key store.
package struct ErasureRecord: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Destroys the subject's keys. The subject's older records will never get keys again.
        case erase
        /// Begins a legal hold, which keeps the subject's keys despite any erasure request.
        case hold
        /// Ends a legal hold. A pending erasure is then applied.
        case release
    }

    static let formatVersion: Int64 = 1
    /// The maximum length of a reason or request, in bytes.
    package static let maximumTextBytes = 256
    /// The maximum length of a value to parse, in bytes.
    static let maximumValueBytes = 1 << 20

    package var action: Action
    package var subject: SubjectMark
    /// The id of the pseudonym key, 16 hexadecimal digits. A key store with a different pseudonym key cannot find the
    /// subject.
    package var marks: String
    /// The destroyed keys, if known.
    package var keys: [ArchiveKeyId]
    /// The reason: a code or a few words, without personal data.
    package var reason: String
    /// The operator's reference to the request, without personal data.
    package var request: String
    /// The operator who made the decision; empty in records from the previous version.
    package var author: String
    /// The date of the request. Everything signed up to and including this date is erased.
    package var requestedAt: AppStoreInstant

    package init(
        action: Action, subject: SubjectMark, marks: String, keys: [ArchiveKeyId] = [], reason: String, request: String,
        author: String = "", requestedAt: AppStoreInstant
    ) {
        self.action = action
        self.subject = subject
        self.marks = marks
        self.keys = keys
        self.reason = reason
        self.request = request
        self.author = author
        self.requestedAt = requestedAt
    }

    /// Returns the record to produce. Its key is unique, so that compaction never removes it.
    package func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        var key = "\(subject.hex)/\(requestedAt.millisecondsSince1970)/\(action.rawValue)"
        // One decision can have several records, because each host publishes the keys that it destroyed.
        if let first = keys.first { key += "/\(first.hex)" }
        return KafkaProducerRecord(topic: topic, key: Array(key.utf8), value: jsonText)
    }

    /// The record's value.
    package var jsonText: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("version", Self.formatVersion)
            object.set("action", action.rawValue)
            object.set("subject", subject.hex)
            object.set("marks", marks)
            object.array("keys") { array in for key in keys { array.string(key.hex) } }
            object.set("reason", reason)
            object.set("request", request)
            object.set("author", author.isEmpty ? nil : author)
            object.set("requestedAt", requestedAt.description)
        }
        return writer.bytes
    }

    /// Parses the output of ``jsonText``. Unknown members are ignored.
    ///
    /// - Throws: ``ArchiveError`` with code `malformedContent` for any other input, including records with a later
    ///   format version.
    package init(json: [UInt8]) throws(ArchiveError) {
        let root: JSONElement
        do { root = try JSONDocument.object(json, maximumBytes: Self.maximumValueBytes).root } catch {
            throw Self.malformed("it is not a JSON object")
        }
        guard root["version"]?.flooredInteger == Self.formatVersion else { throw Self.malformed("version") }
        guard let action = root["action"]?.string.flatMap(Action.init(rawValue:)) else {
            throw Self.malformed("action")
        }
        guard let subject = root["subject"]?.string.flatMap(SubjectMark.init(hex:)) else {
            throw Self.malformed("subject")
        }
        guard let marks = root["marks"]?.string, marks.utf8.count == 16 else { throw Self.malformed("marks") }
        guard let requestedAt = root["requestedAt"]?.string.flatMap({ AppStoreInstant(rfc3339: $0) }) else {
            throw Self.malformed("requestedAt")
        }
        var keys: [ArchiveKeyId] = []
        for element in root["keys"]?.elements ?? [] {
            guard let key = element.string.flatMap({ ArchiveKeyId(hex: $0) }) else { throw Self.malformed("keys") }
            keys.append(key)
        }
        self.init(
            action: action, subject: subject, marks: marks, keys: keys,
            reason: try Self.text(root["reason"], "reason"), request: try Self.text(root["request"], "request"),
            author: try root["author"].map { (author) throws(ArchiveError) in try Self.text(author, "author") }
                ?? "",
            requestedAt: requestedAt)
    }

    private static func text(_ element: JSONElement?, _ name: String) throws(ArchiveError) -> String {
        guard let text = element?.string, text.utf8.count <= maximumTextBytes else { throw malformed(name) }
        return text
    }

    private static func malformed(_ member: String) -> ArchiveError {
        ArchiveError(.malformedContent, "not a valid record in the erasures topic: \(member)")
    }
}
