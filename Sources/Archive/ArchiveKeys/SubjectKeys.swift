package import ArchiveLog
internal import Cryptography
internal import JSON
package import KafkaModel

/// The wrapped keys of one subject in a keys topic record, starting with the key in use. A record without keys is a
/// tombstone: all of the subject's keys are destroyed.
package struct SubjectKeys: Hashable, Sendable {
    package struct Key: Hashable, Sendable {
        package let id: ArchiveKeyId
        /// The 8-byte id of the key-encryption key.
        let wrapping: [UInt8]
        /// The wrapped key, 60 bytes; see ``KeyEncryptionKey``.
        let wrapped: [UInt8]
        /// The time up to which the subject was erased when the key was created, in milliseconds since 1970; nil if it
        /// had never been erased. A later erasure destroys the key, no matter which topic is read first.
        let erasedUpTo: Int64?
    }

    package let subject: SubjectMark
    package let keys: [Key]
    /// The time up to which the writer knew the subject to be erased, in milliseconds since 1970.
    package let erasedUpTo: Int64?

    /// Returns whether an erasure known to the writer destroys this key.
    func hasErased(_ key: Key) -> Bool { erasedUpTo.map { key.erasedUpTo ?? .min < $0 } ?? false }
}

/// The wrapped pseudonym key, with which a joining host can create the same pseudonyms.
package struct WrappedMarks: Hashable, Sendable {
    /// The id of the pseudonym key, 16 hexadecimal digits.
    package let id: String
    let wrapping: [UInt8]
    let wrapped: [UInt8]
}

/// A record in the keys topic.
package enum ArchiveKeyRecord: Hashable, Sendable {
    case keys(SubjectKeys)
    case marks(WrappedMarks)

    static let formatVersion: Int64 = 1
    /// The maximum length of a value to parse, in bytes.
    static let maximumValueBytes = 1 << 20
    private static let marksPrefix = "marks/"
    /// The tombstone header that contains ``SubjectKeys/erasedUpTo`` in decimal digits.
    private static let erasedUpToHeader = "erasedUpTo"

    /// Returns the record to produce. Its key is the subject's pseudonym, so compaction keeps the newest record for
    /// each subject.
    package func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        switch self {
        case .marks(let marks):
            let key = Self.marksPrefix + marks.id
            return KafkaProducerRecord(topic: topic, key: Array(key.utf8), value: Self.json(marks))
        case .keys(let subject):
            let key = Array(subject.subject.hex.utf8)
            guard subject.keys.isEmpty else {
                return KafkaProducerRecord(topic: topic, key: key, value: Self.json(subject))
            }
            let header = subject.erasedUpTo.map { KafkaHeader(key: Self.erasedUpToHeader, text: "\($0)") }
            return KafkaProducerRecord(topic: topic, key: key, value: nil, headers: [header].compactMap(\.self))
        }
    }

    private static func json(_ marks: WrappedMarks) -> [UInt8] {
        JSONWriter.text { writer in
            writer.object { object in
                object.set("version", formatVersion)
                object.set("marks", marks.id)
                object.set("wrapping", HexText.encode(marks.wrapping))
                object.set("wrapped", HexText.encode(marks.wrapped))
            }
        }
    }

    private static func json(_ subject: SubjectKeys) -> [UInt8] {
        JSONWriter.text { writer in
            writer.object { object in
                object.set("version", formatVersion)
                object.set("erasedUpTo", subject.erasedUpTo)
                object.array("keys") { array in
                    for key in subject.keys {
                        array.object { object in
                            object.set("id", key.id.hex)
                            object.set("wrapping", HexText.encode(key.wrapping))
                            object.set("wrapped", HexText.encode(key.wrapped))
                            object.set("erasedUpTo", key.erasedUpTo)
                        }
                    }
                }
            }
        }
    }

    /// Parses a record made by ``produced(to:)``. Unknown members are ignored.
    ///
    /// - Throws: ``ArchiveError`` with code `malformedContent` for any other input, including records with a later
    ///   format version.
    package init(_ record: KafkaRecord) throws(ArchiveError) {
        guard let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }) else {
            throw Self.malformed("its key is not text")
        }
        if key.hasPrefix(Self.marksPrefix) {
            self = .marks(try Self.marks(String(key.dropFirst(Self.marksPrefix.count)), record.value))
            return
        }
        guard let subject = SubjectMark(hex: key) else { throw Self.malformed("its key is not a subject's pseudonym") }
        guard let value = record.value else {
            let header = record.headers.first { $0.key == Self.erasedUpToHeader }?.value
            let upTo = header.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { Int64($0) }
            self = .keys(SubjectKeys(subject: subject, keys: [], erasedUpTo: upTo))
            return
        }
        let root = try Self.root(value)
        var keys: [SubjectKeys.Key] = []
        for element in root["keys"]?.elements ?? [] { keys.append(try Self.key(element)) }
        guard !keys.isEmpty, Set(keys.map(\.id)).count == keys.count else { throw Self.malformed("keys") }
        self = .keys(
            SubjectKeys(subject: subject, keys: keys, erasedUpTo: try Self.time(root["erasedUpTo"])))
    }

    private static func marks(_ id: String, _ value: [UInt8]?) throws(ArchiveError) -> WrappedMarks {
        guard let value else { throw malformed("the pseudonym key is missing") }
        let root = try root(value)
        guard root["marks"]?.string == id, id.utf8.count == 16 else { throw malformed("marks") }
        let (wrapping, wrapped) = try wrapping(root)
        return WrappedMarks(id: id, wrapping: wrapping, wrapped: wrapped)
    }

    private static func root(_ value: [UInt8]) throws(ArchiveError) -> JSONElement {
        let root: JSONElement
        do { root = try JSONDocument.object(value, maximumBytes: maximumValueBytes).root } catch {
            throw malformed("it is not a JSON object")
        }
        guard root["version"]?.flooredInteger == formatVersion else { throw malformed("version") }
        return root
    }

    private static func key(_ element: JSONElement) throws(ArchiveError) -> SubjectKeys.Key {
        guard let id = element["id"]?.string.flatMap({ ArchiveKeyId(hex: $0) }) else { throw malformed("id") }
        let (wrapping, wrapped) = try wrapping(element)
        return SubjectKeys.Key(
            id: id, wrapping: wrapping, wrapped: wrapped, erasedUpTo: try time(element["erasedUpTo"]))
    }

    private static func wrapping(_ element: JSONElement) throws(ArchiveError) -> ([UInt8], [UInt8]) {
        guard let wrapping = element["wrapping"]?.string.flatMap({ HexText.decode($0) }), wrapping.count == 8,
            wrapping != KeyStoreFile.destroyedWrapping
        else { throw malformed("wrapping") }
        guard let wrapped = element["wrapped"]?.string.flatMap({ HexText.decode($0) }),
            wrapped.count == KeyEncryptionKey.wrappedByteCount
        else { throw malformed("wrapped") }
        return (wrapping, wrapped)
    }

    private static func time(_ element: JSONElement?) throws(ArchiveError) -> Int64? {
        guard let element else { return nil }
        guard let time = element.flooredInteger else { throw malformed("erasedUpTo") }
        return time
    }

    private static func malformed(_ member: String) -> ArchiveError {
        ArchiveError(.malformedContent, "not a valid record in the keys topic: \(member)")
    }
}
