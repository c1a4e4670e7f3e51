import ArchiveKeys
import ArchiveLog
import Cryptography
import KafkaModel
import TestSupport
import Testing

struct ArchiveKeyRecordTests {
    private static let topic: KafkaTopic = "appstore.archive.keys"

    static func read(_ produced: KafkaProducerRecord, at offset: Int64 = 0) -> KafkaRecord {
        KafkaRecord(
            topic: produced.topic, partition: 0, offset: KafkaOffset(rawValue: offset), timestampMilliseconds: 0,
            key: produced.key, value: produced.value, headers: produced.headers)
    }

    @Test func `keys, a tombstone and the pseudonym key are parsed as they were encoded`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        _ = try store.sealingKeys(for: [1, 2].map { StoreOnDisk.request($0) })
        try store.apply([try StoreOnDisk.record(.erase, 2, in: store)])
        _ = try store.sealingKeys(for: [StoreOnDisk.request(2, signedAt: 6_000)])
        try store.apply([try StoreOnDisk.record(.erase, 1, in: store)])
        let due = try store.duePublications(limit: 10)
        #expect(due.count == 3)
        for record in due {
            #expect(try ArchiveKeyRecord(Self.read(record.produced(to: Self.topic))) == record)
        }
        let marks = try [1, 2].map { try store.mark(of: StoreOnDisk.subject($0)).hex }
        let produced = due.map { $0.produced(to: Self.topic) }
        let tombstone = try #require(produced.first { $0.value == nil })
        #expect(tombstone.key == Array(marks[0].utf8))
        #expect(produced.contains { $0.key == Array(marks[1].utf8) && $0.value != nil })
        #expect(produced.contains { $0.key == Array("marks/\(store.marksId)".utf8) })
    }

    @Test func `a record contains neither the subject nor an unwrapped key`() throws {
        let store = try StoreOnDisk().open()
        let keys = try store.sealingKeys(for: [StoreOnDisk.request(4_711)])
        let secret = try #require(keys.protections.first?.sealing).bytes
        for record in try store.duePublications(limit: 10) {
            let text = String(decoding: record.produced(to: Self.topic).value ?? [], as: UTF8.self)
            #expect(!text.isEmpty && !text.contains("4711"))
            #expect(!text.contains(HexText.encode(secret)))
        }
    }

    @Test(arguments: [
        (nil, "{}"), ("nonsense", "{}"), (String(repeating: "ab", count: 32), "{}"),
        (String(repeating: "ab", count: 32), #"{"version":1,"keys":[]}"#),
        (String(repeating: "ab", count: 32), #"{"version":2,"keys":[]}"#),
        (
            String(repeating: "ab", count: 32),
            #"{"version":1,"keys":[{"id":"00112233445566778899aabbccddeeff","wrapping":"00","wrapped":"00"}]}"#
        ), ("marks/0011223344556677", #"{"version":1,"marks":"8899aabbccddeeff"}"#),
    ])
    func `other records are rejected`(key: String?, value: String) {
        let record = KafkaRecord(
            topic: Self.topic, partition: 0, offset: 0, timestampMilliseconds: 0, key: key.map { Array($0.utf8) },
            value: Array(value.utf8), headers: [])
        #expect(throws: ArchiveError.self) { try ArchiveKeyRecord(record) }
    }

    @Test func `a key id matches no other key`() throws {
        let (id, secret) = try ArchiveKeyId.ofNewKey()
        #expect(try ArchiveKeyId(committingTo: secret) == id)
        #expect(try ArchiveKeyId(committingTo: randomKey(byteCount: 32)) != id)
        // HMAC-SHA-256 of "id" with 32 bytes of 07 as the key, computed with openssl.
        let known = try ArchiveKeyId(committingTo: SecretKey(copying: [UInt8](repeating: 7, count: 32)))
        #expect(known?.hex == "ee3532246f33f6a2f35c19fa5df08146")
    }
}
