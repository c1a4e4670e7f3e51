import ArchiveLog
import Cryptography
import KafkaModel
import TestSupport
import Testing

struct ArchiveLeafTests {
    /// Returns a leaf written by hand from the table in `Sources/AppStore/README.md`.
    private func golden(version: UInt8 = 2) throws -> [UInt8] {
        try Samples.hexadecimal(
            "0\(version)", "02",  // version, kind: quarantine
            "03", "616263",  // cluster id: abc
            "05", "742e782d79",  // topic: t.x-y
            "00000007", "0000000100000002",  // partition, offset
            "ffffffffffffffff", "000001a0c4506c00",  // no timestamp, archived at
            "000102030405060708090a0b0c0d0e0f",  // key id, masked in version 2
            "00000c00",  // length of the object
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test(arguments: [1, 2] as [UInt8]) func `a leaf has exactly the documented bytes`(version: UInt8) throws {
        let golden = try golden(version: version)
        let leaf = try ArchiveLeaf(bytes: golden)
        #expect(leaf.position.version == version)
        #expect(leaf.position.kind == .quarantine)
        #expect(leaf.position.clusterId == "abc")
        #expect(leaf.position.topic == "t.x-y")
        #expect(leaf.position.partition == 7)
        #expect(leaf.position.offset == 4_294_967_298)
        #expect(leaf.timestampMilliseconds == nil)
        #expect(leaf.archivedAtMilliseconds == 1_790_000_000_000)
        #expect(leaf.key?.bytes == Array(0...15))
        #expect(leaf.key?.isMasked == (version == 2))
        #expect(leaf.objectLength == 3_072)
        #expect(leaf.objectDigest == SHA256.digest(of: []))
        #expect(leaf.bytes == golden)
        #expect(leaf.position.bytes == Array(golden.prefix(24)))
    }

    @Test func `a leaf masks the key id with the HMAC of the object's digest, except in version 1`()
        throws
    {
        let mask = try Samples.leafMask()
        let id = try #require(ArchiveKeyId(hex: "000102030405060708090a0b0c0d0e0f"))
        // HMAC-SHA-256 of the digest of an empty object with 32 bytes of 5 as the key, computed with Python's hmac and
        // XORed with the id.
        let masked = "a50d2b00a85ae7a6bf9d72b98b034917"
        let digest = SHA256.digest(of: [])
        #expect(HexText.encode(try mask.reference(to: id, objectDigest: digest)?.bytes ?? []) == masked)
        let new = try ArchiveLeaf(
            bytes: try Samples.hexadecimal(
                HexText.encode(try golden()).replacing("000102030405060708090a0b0c0d0e0f", with: masked)))
        #expect(try new.keyId(mask) == id)
        #expect(try ArchiveLeaf(bytes: try golden(version: 1)).keyId(mask) == id)
        #expect(try ArchiveLeaf(bytes: try golden()).keyId(mask) != id)
    }

    @Test func `leaves of one person can be linked only with the key store, which yields a single key`() throws {
        let key = try Samples.dataKey()
        let mask = try Samples.leafMask()
        let leaves = try (0..<200).map { try Samples.entry(of: Samples.record(offset: $0), .encrypted(key)).leaf }
        #expect(Set(leaves.map(\.key)).count == leaves.count)
        #expect(leaves.allSatisfy { $0.key?.bytes != key.id.bytes })
        #expect(try Set(leaves.map { try $0.keyId(mask) }) == [key.id])
        // Archives one record twice.
        let again = try (0..<2).map { _ in try Samples.entry(.encrypted(key)).leaf.key }
        #expect(again[0] != again[1])
    }

    @Test(arguments: [(1, true), (2, false)] as [(UInt8, Bool)])
    func `a key reference whose version differs from its leaf's is rejected`(version: UInt8, isMasked: Bool) throws {
        let id = try ArchiveKeyId.ofNewKey().0
        let digest = SHA256.digest(of: [1])
        let reference =
            isMasked ? try Samples.leafMask().reference(to: id, objectDigest: digest) : ArchiveKeyReference(id: id)
        let position = try ArchivePosition(
            kind: .notification, clusterId: "", topic: "t", partition: 0, offset: 0, version: version)
        let error = try #require(throws: ArchiveError.self) {
            try ArchiveLeaf(
                position: position, timestampMilliseconds: nil, archivedAtMilliseconds: 0, key: reference,
                objectLength: 1, objectDigest: digest)
        }
        #expect(error.code == .malformedLeaf)
    }

    @Test(arguments: ArchiveKind.allCases) func `every kind of leaf is parsed as it was encoded`(kind: ArchiveKind)
        throws
    {
        let id = try Samples.leafMask().reference(to: ArchiveKeyId.ofNewKey().0, objectDigest: SHA256.digest(of: [1]))
        for (timestamp, key) in [(nil, nil), (0, id), (.max, nil)] as [(Int64?, ArchiveKeyReference?)] {
            let leaf = try ArchiveLeaf(
                position: try ArchivePosition(
                    kind: kind, clusterId: "", topic: "é", partition: .init(rawValue: .max),
                    offset: .init(rawValue: .max)),
                timestampMilliseconds: timestamp, archivedAtMilliseconds: .min, key: key,
                objectLength: Int(UInt32.max), objectDigest: SHA256.digest(of: [1]))
            #expect(try ArchiveLeaf(bytes: leaf.bytes) == leaf)
        }
    }

    @Test func `a leaf that is truncated to any length or too long is rejected`() throws {
        let bytes = try golden()
        for count in bytes.indices {
            let error = try #require(throws: ArchiveError.self) {
                try ArchiveLeaf(bytes: Array(bytes.prefix(count)))
            }
            #expect(error.code == .malformedLeaf)
        }
        #expect(throws: ArchiveError.self) { try ArchiveLeaf(bytes: bytes + [0]) }
        #expect(throws: ArchiveError.self) { try ArchiveLeaf(bytes: [UInt8](repeating: 1, count: 1 << 20)) }
    }

    @Test(arguments: [
        (0, 0), (0, 3), (1, 0), (1, 8), (1, 255), (2, 255), (3, 0xFF), (6, 255), (12, 0x80), (16, 0x80), (24, 0x80),
    ]) func `invalid versions, kinds, names and numbers are rejected`(at: Int, value: Int) throws {
        var bytes = try golden()
        bytes[at] = UInt8(value)
        let error = try #require(throws: ArchiveError.self) { try ArchiveLeaf(bytes: bytes) }
        #expect(error.code == .malformedLeaf)
    }

    @Test func `random bytes yield an error or a leaf that encodes to them`() throws {
        var random = SeededGenerator(seed: 14)
        let good = try golden()
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let leaf = try? ArchiveLeaf(bytes: bytes) else { continue }
            #expect(leaf.bytes == bytes)
        }
    }

    @Test func `names that would make a leaf longer than 512 bytes are rejected, and the longest fit`() throws {
        let position = { (cluster: Int, topic: Int) in
            try ArchivePosition(
                kind: .notification, clusterId: String(repeating: "c", count: cluster),
                topic: KafkaTopic(rawValue: String(repeating: "t", count: topic)), partition: 0, offset: 0)
        }
        let leaf = try ArchiveLeaf(
            position: try position(179, 249), timestampMilliseconds: 0, archivedAtMilliseconds: 0, key: nil,
            objectLength: 0, objectDigest: SHA256.digest(of: []))
        #expect(leaf.bytes.count == 512)
        #expect(try ArchiveLeaf(bytes: leaf.bytes) == leaf)
        for (cluster, topic) in [(180, 249), (256, 1), (1, 256), (1_000_000, 0)] {
            let error = try #require(throws: ArchiveError.self) { try position(cluster, topic) }
            #expect(error.code == .tooLong)
        }
        #expect(throws: ArchiveError.self) {
            try ArchivePosition(kind: .gap, clusterId: "", topic: "t", partition: -1, offset: 0)
        }
        #expect(throws: ArchiveError.self) {
            try ArchivePosition(kind: .gap, clusterId: "", topic: "t", partition: 0, offset: .end)
        }
    }

    @Test func `key ids are converted to and from hexadecimal text, and zeros are not a key id`() throws {
        let id = try ArchiveKeyId.ofNewKey().0
        #expect(ArchiveKeyId(hex: id.hex) == id)
        #expect(ArchiveKeyId(hex: id.hex.uppercased()) == id)
        #expect(ArchiveKeyId(bytes: id.bytes) == id)
        #expect(ArchiveKeyId(bytes: [UInt8](repeating: 0, count: 16)) == nil)
        #expect(ArchiveKeyId(bytes: [1]) == nil)
        #expect(ArchiveKeyId(hex: "") == nil)
        #expect(ArchiveKeyId(hex: String(repeating: "g", count: 32)) == nil)
        #expect(ArchiveKind.allCases.allSatisfy { ArchiveKind(name: $0.name) == $0 })
    }
}
