import ArchiveLog
import Cryptography
import KafkaModel
import TestSupport
import Testing

struct ArchiveObjectTests {
    /// Records with the most unusual contents that Kafka allows.
    static let records = [
        Samples.record,
        KafkaRecord(topic: "t", partition: 0, offset: 0, key: nil, value: nil),
        KafkaRecord(topic: "t", partition: 0, offset: 1, key: [], value: [], headers: []),
        KafkaRecord(
            topic: "t", partition: 0, offset: 2, timestampMilliseconds: 0, key: [0xFF, 0], value: [0xC3],
            headers: [
                KafkaHeader(key: "", value: nil), KafkaHeader(key: "", value: []), KafkaHeader(key: "é", value: [0xFF]),
                KafkaHeader(key: "é", value: [0xFF]),
            ]),
        KafkaRecord(
            topic: "t", partition: 0, offset: 3, key: nil, value: [UInt8](repeating: 7, count: 100_000),
            headers: (0..<500).map { KafkaHeader(key: "h\($0)", value: [UInt8](repeating: 1, count: $0)) }),
    ]

    @Test(arguments: records) func `a record is restored exactly, encrypted or not`(record: KafkaRecord) throws {
        let key = try Samples.dataKey()
        let encrypted = try Samples.entry(of: record, .encrypted(key))
        #expect(try encrypted.leaf.keyId(Samples.leafMask()) == key.id)
        let content = try ArchiveObject.open(encrypted.object, of: encrypted.leaf, key: key.secret)
        #expect(content == .record(ArchivedRecord(record)))
        #expect(ArchivedRecord(record).record(of: encrypted.leaf) == record)
        let plain = try Samples.entry(of: record, kind: .certificate, .plain)
        #expect(try ArchiveObject.open(plain.object, of: plain.leaf) == .record(ArchivedRecord(record)))
    }

    @Test func `a plain object has exactly the documented bytes`() throws {
        let record = KafkaRecord(
            topic: "t", partition: 0, offset: 0, key: [0xAA], value: nil,
            headers: [KafkaHeader(key: "n", value: [0xBB, 0xCC]), KafkaHeader(key: "m", value: nil)])
        let entry = try Samples.entry(of: record, kind: .erasure, .plain)
        let expected = try Samples.hexadecimal(
            "00", "01",  // plain; version of the record's text
            "00000001", "aa", "ffffffff",  // key, no value
            "0002", "0001", "6e", "00000002", "bbcc", "0001", "6d", "ffffffff")
        #expect(entry.object == expected)
        #expect(entry.leaf.objectLength == expected.count)
        #expect(entry.leaf.objectDigest == SHA256.digest(of: expected))
        #expect(entry.leaf.key == nil)
    }

    @Test func `an encrypted object has form, nonce, commitment, ciphertext and tag, bound to its position`()
        throws
    {
        let key = try Samples.dataKey()
        let entry = try Samples.entry(.encrypted(key))
        #expect(entry.object.first == 2)
        // Sources/AppStore/README.md documents these two derivations.
        let recordKey = try HKDF.derive(
            from: key.secret, info: Array("sluice archive record".utf8) + entry.leaf.position.bytes)
        let commitment = try HKDF.derive(from: recordKey, info: Array("sluice archive commitment".utf8))
        #expect(Array(entry.object[13..<45]) == commitment.withUnsafeBytes { Array($0) })
        let text = try AES256GCM.open(
            Array(entry.object[45...]), key: recordKey, nonce: Array(entry.object[1..<13]),
            authenticated: entry.leaf.position.bytes)
        let plain = try Samples.entry(kind: .certificate, .plain)
        #expect(text == Array(plain.object.dropFirst()))
        let again = try Samples.entry(.encrypted(key))
        #expect(again.object[1..<13] != entry.object[1..<13], "a nonce must not be used twice")
    }

    @Test func `an object of a version 1 leaf opens with the data key, and has no separate key`() throws {
        let key = try Samples.dataKey()
        let new = try Samples.entry(.encrypted(key))
        let position = try ArchivePosition(
            kind: .notification, clusterId: Samples.cluster, topic: Samples.record.topic, partition: 3,
            offset: Samples.record.offset, version: ArchivePosition.firstVersion)
        let plain = try Samples.entry(kind: .certificate, .plain)
        let nonce = [UInt8](repeating: 9, count: 12)
        let old =
            try [1] + nonce
            + AES256GCM.seal(
                Array(plain.object.dropFirst()), key: key.secret, nonce: nonce,
                authenticated: position.bytes)
        let leaf = try ArchiveLeaf(
            position: position, timestampMilliseconds: nil, archivedAtMilliseconds: 0,
            key: ArchiveKeyReference(id: key.id), objectLength: old.count, objectDigest: SHA256.digest(of: old))
        #expect(try ArchiveLeaf(bytes: leaf.bytes) == leaf)
        #expect(try ArchiveObject.open(old, of: leaf, key: key.secret) == .record(ArchivedRecord(Samples.record)))
        #expect(!ArchiveObject.hasRecordKey(old) && ArchiveObject.hasRecordKey(new.object))
        let recordKey = try ArchiveRecordKey(of: leaf.position, from: key.secret)
        #expect(try code { try ArchiveObject.open(old, of: leaf, recordKey: recordKey) } == .keyNeeded)
    }

    @Test func `a record's own key decrypts its object, and no other of the same person`() throws {
        let key = try Samples.dataKey()
        let entry = try Samples.entry(.encrypted(key))
        let own = try ArchiveRecordKey(of: entry.leaf.position, from: key.secret)
        #expect(
            try ArchiveObject.open(entry.object, of: entry.leaf, recordKey: own)
                == .record(ArchivedRecord(Samples.record)))
        let record = KafkaRecord(
            topic: Samples.record.topic, partition: Samples.record.partition, offset: 5, key: Samples.record.key,
            value: Samples.record.value)
        let other = try Samples.entry(of: record, .encrypted(key))
        #expect(try code { try ArchiveObject.open(other.object, of: other.leaf, recordKey: own) } == .notAuthentic)
    }

    @Test func `an object with a commitment to another key is rejected even if its text is authentic`() throws {
        let key = try Samples.dataKey()
        let entry = try Samples.entry(.encrypted(key))
        var object = entry.object
        object[13] ^= 1
        let leaf = try Self.leaf(entry.leaf.position, key.id, object)
        #expect(try code { try ArchiveObject.open(object, of: leaf, key: key.secret) } == .notAuthentic)
    }

    private static func leaf(_ position: ArchivePosition, _ key: ArchiveKeyId, _ object: [UInt8]) throws -> ArchiveLeaf
    {
        let digest = SHA256.digest(of: object)
        return try ArchiveLeaf(
            position: position, timestampMilliseconds: nil, archivedAtMilliseconds: 0,
            key: Samples.leafMask().reference(to: key, objectDigest: digest), objectLength: object.count,
            objectDigest: digest)
    }

    @Test func `an object with another record, key or length is rejected`() throws {
        let key = try Samples.dataKey()
        let entry = try Samples.entry(.encrypted(key))
        let elsewhere = try Self.leaf(
            try ArchivePosition(
                kind: .notification, clusterId: Samples.cluster, topic: Samples.record.topic, partition: 3,
                offset: 1_000_000_008), key.id, entry.object)
        #expect(try code { try ArchiveObject.open(entry.object, of: elsewhere, key: key.secret) } == .notAuthentic)
        let other = try Samples.dataKey().secret
        #expect(try code { try ArchiveObject.open(entry.object, of: entry.leaf, key: other) } == .notAuthentic)
        #expect(try code { try ArchiveObject.open(entry.object, of: entry.leaf) } == .keyNeeded)
        for bit in 0..<entry.object.count * 8 {
            var changed = entry.object
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try code { try ArchiveObject.open(changed, of: entry.leaf, key: key.secret) } == .objectMismatch)
        }
        for count in entry.object.indices {
            let cut = Array(entry.object.prefix(count))
            #expect(try code { try ArchiveObject.open(cut, of: entry.leaf, key: key.secret) } == .objectMismatch)
        }
    }

    @Test func `malformed objects are rejected even if their leaf matches`() throws {
        var random = SeededGenerator(seed: 15)
        let plain = try Samples.entry(kind: .certificate, .plain).object
        let key = try Samples.dataKey()
        for round in 0..<20_000 {
            var object = plain
            switch round % 3 {
            case 0: object = Array(object.prefix(Int.random(in: 0...object.count, using: &random)))
            case 1: object[Int.random(in: object.indices, using: &random)] = .random(in: 0...255, using: &random)
            default:
                // Counts that exceed the actual length.
                object.replaceSubrange(2..<6, with: [UInt8.random(in: 0...255, using: &random), 255, 255, 255])
            }
            let leaf = try ArchiveLeaf(
                position: try ArchivePosition(
                    kind: round % 5 == 0 ? .gap : .certificate, clusterId: "", topic: "t", partition: 0, offset: 0,
                    version: ArchivePosition.firstVersion),
                timestampMilliseconds: nil, archivedAtMilliseconds: 0,
                key: round % 7 == 0 ? ArchiveKeyReference(id: key.id) : nil, objectLength: object.count,
                objectDigest: SHA256.digest(of: object))
            // The result is a format error, or a record that encodes to the same bytes.
            do throws(ArchiveError) {
                guard case .record(let record) = try ArchiveObject.open(object, of: leaf, key: key.secret) else {
                    continue
                }
                let again = try? Samples.entry(of: record.record(of: leaf), kind: .certificate, .plain)
                #expect(again?.object == object)
            } catch { #expect(error.code == .malformedContent) }
        }
    }

    @Test func `the object of a record that was erased on arrival is empty`() throws {
        let entry = try Samples.entry(.erased)
        #expect(entry.object.isEmpty)
        #expect(entry.leaf.key == nil)
        #expect(entry.leaf.isErasedOnArrival)
        #expect(entry.leaf.objectDigest == SHA256.digest(of: []))
        #expect(try ArchiveObject.open([], of: entry.leaf) == .erased)
        let certificate = try Samples.entry(kind: .certificate, .erased)
        #expect(try code { try ArchiveObject.open([], of: certificate.leaf) } == .malformedContent)
    }

    @Test func `a gap contains its first and its next offset`() throws {
        let place = KafkaTopicPartition(topic: "appstore.quarantine", partition: 0)
        let entry = try ArchiveEntry(
            gap: 40..<57, reason: .deleted, of: place, clusterId: "c", archivedAtMilliseconds: 1)
        #expect(entry.leaf.position.kind == .gap)
        #expect(entry.leaf.position.offset == 40)
        let content = try ArchiveObject.open(entry.object, of: entry.leaf)
        #expect(content == .gap(ArchiveGap(nextOffset: 57, reason: .deleted)))
        #expect(entry.object == (try Samples.hexadecimal("00", "01", "0000000000000039", "01")))
    }

    @Test func `a record that exceeds the limits of the format is rejected`() throws {
        let long = KafkaHeader(key: String(repeating: "x", count: 65_536), value: nil)
        for headers in [[long], Array(repeating: KafkaHeader(key: "", value: nil), count: 65_536)] {
            let record = KafkaRecord(topic: "t", partition: 0, offset: 0, key: nil, value: nil, headers: headers)
            #expect(try code { try Samples.entry(of: record, .plain) } == .tooLong)
        }
    }

    private func code(_ body: () throws -> some Any) throws -> ArchiveError.Code {
        try #require(throws: ArchiveError.self) { _ = try body() }.code
    }
}
