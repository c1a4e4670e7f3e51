import ArchiveFormat
import Cryptography
import KafkaModel
import TestSupport
import Testing

struct ArchiveLeafTests {
    /// Written by hand from the table in `Sources/AppStore/README.md`.
    private func golden() throws -> [UInt8] {
        try Samples.hexadecimal(
            "01", "02",  // version, kind: quarantine
            "03", "616263",  // cluster id: abc
            "05", "742e782d79",  // topic: t.x-y
            "00000007", "0000000100000002",  // partition, offset
            "ffffffffffffffff", "000001a0c4506c00",  // no timestamp, archived at
            "000102030405060708090a0b0c0d0e0f",  // key id
            "00000c00",  // length of the object
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `a leaf has exactly the bytes that are documented`() throws {
        let leaf = try ArchiveLeaf(bytes: try golden())
        #expect(leaf.position.kind == .quarantine)
        #expect(leaf.position.clusterId == "abc")
        #expect(leaf.position.topic == "t.x-y")
        #expect(leaf.position.partition == 7)
        #expect(leaf.position.offset == 4_294_967_298)
        #expect(leaf.timestampMilliseconds == nil)
        #expect(leaf.archivedAtMilliseconds == 1_790_000_000_000)
        #expect(leaf.keyId?.hex == "000102030405060708090a0b0c0d0e0f")
        #expect(leaf.objectLength == 3_072)
        #expect(leaf.objectDigest == SHA256.digest(of: []))
        #expect(leaf.bytes == (try golden()))
        #expect(leaf.position.bytes == Array(try golden().prefix(24)))
    }

    @Test(arguments: ArchiveKind.allCases) func `every kind of leaf is read as it was written`(kind: ArchiveKind) throws
    {
        let id = try ArchiveKeyId.ofNewKey().0
        for (timestamp, key) in [(nil, nil), (0, id), (.max, nil)] as [(Int64?, ArchiveKeyId?)] {
            let leaf = try ArchiveLeaf(
                position: try ArchivePosition(
                    kind: kind, clusterId: "", topic: "é", partition: .init(rawValue: .max),
                    offset: .init(rawValue: .max)),
                timestampMilliseconds: timestamp, archivedAtMilliseconds: .min, keyId: key,
                objectLength: Int(UInt32.max), objectDigest: SHA256.digest(of: [1]))
            #expect(try ArchiveLeaf(bytes: leaf.bytes) == leaf)
        }
    }

    @Test func `a leaf that is cut off or longer is refused, at every length`() throws {
        let bytes = try golden()
        for count in bytes.indices {
            let error = try #require(throws: ArchiveFormatError.self) {
                try ArchiveLeaf(bytes: Array(bytes.prefix(count)))
            }
            #expect(error.code == .malformedLeaf)
        }
        #expect(throws: ArchiveFormatError.self) { try ArchiveLeaf(bytes: bytes + [0]) }
        #expect(throws: ArchiveFormatError.self) { try ArchiveLeaf(bytes: [UInt8](repeating: 1, count: 1 << 20)) }
    }

    @Test(arguments: [
        (0, 0), (0, 2), (1, 0), (1, 8), (1, 255), (2, 255), (3, 0xFF), (6, 255), (12, 0x80), (16, 0x80), (24, 0x80),
    ]) func `versions, kinds, names and numbers that no archive writes are refused`(at: Int, value: Int) throws {
        var bytes = try golden()
        bytes[at] = UInt8(value)
        let error = try #require(throws: ArchiveFormatError.self) { try ArchiveLeaf(bytes: bytes) }
        #expect(error.code == .malformedLeaf)
    }

    @Test func `any other bytes give an error or a leaf that has them`() throws {
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

    @Test func `names that would make it longer than 512 bytes are refused, and the longest fit`() throws {
        let position = { (cluster: Int, topic: Int) in
            try ArchivePosition(
                kind: .notification, clusterId: String(repeating: "c", count: cluster),
                topic: KafkaTopic(rawValue: String(repeating: "t", count: topic)), partition: 0, offset: 0)
        }
        let leaf = try ArchiveLeaf(
            position: try position(179, 249), timestampMilliseconds: 0, archivedAtMilliseconds: 0, keyId: nil,
            objectLength: 0, objectDigest: SHA256.digest(of: []))
        #expect(leaf.bytes.count == 512)
        #expect(try ArchiveLeaf(bytes: leaf.bytes) == leaf)
        for (cluster, topic) in [(180, 249), (256, 1), (1, 256), (1_000_000, 0)] {
            let error = try #require(throws: ArchiveFormatError.self) { try position(cluster, topic) }
            #expect(error.code == .tooLong)
        }
        #expect(throws: ArchiveFormatError.self) {
            try ArchivePosition(kind: .gap, clusterId: "", topic: "t", partition: -1, offset: 0)
        }
        #expect(throws: ArchiveFormatError.self) {
            try ArchivePosition(kind: .gap, clusterId: "", topic: "t", partition: 0, offset: .end)
        }
    }

    @Test func `names of keys go through hexadecimal text, and zeros name none`() throws {
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
