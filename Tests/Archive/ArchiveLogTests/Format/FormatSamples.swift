import ArchiveLog
import Cryptography
import KafkaModel
import Testing

/// Records and positions that several tests use.
enum Samples {
    static let cluster = "MkU3OEVBNTcwNTJENDM2Qk"

    static let record = KafkaRecord(
        topic: "appstore.notifications.production", partition: 3, offset: 1_000_000_007,
        timestampMilliseconds: 1_790_000_000_123, key: Array("com.example.app/2000000000000001".utf8),
        value: Array(#"{"notification":{}}"#.utf8),
        headers: [
            KafkaHeader(key: "ce_id", text: "b6e1f1a2-0000-4000-8000-000000000001"),
            KafkaHeader(key: "ce_time", text: "2026-09-21T14:13:20.000Z"),
        ])

    /// Returns a record like ``record`` at another offset.
    static func record(offset: Int64) -> KafkaRecord {
        KafkaRecord(
            topic: record.topic, partition: record.partition, offset: KafkaOffset(rawValue: offset),
            timestampMilliseconds: record.timestampMilliseconds, key: record.key, value: record.value,
            headers: record.headers)
    }

    static func entry(
        of record: KafkaRecord = record, kind: ArchiveKind = .notification, _ protection: ArchiveProtection
    ) throws -> ArchiveEntry {
        try ArchiveEntry(
            record, kind: kind, clusterId: cluster, archivedAtMilliseconds: 1_790_000_001_000, protection: protection)
    }

    static func leafMask() throws -> ArchiveLeafMask {
        ArchiveLeafMask(try HMACSHA256Key(SecretKey(copying: [UInt8](repeating: 5, count: 32))))
    }

    static func dataKey() throws -> ArchiveDataKey {
        ArchiveDataKey(
            id: try ArchiveKeyId.ofNewKey().0, secret: try randomKey(byteCount: 32), mask: try leafMask())
    }

    static func hexadecimal(_ parts: String...) throws -> [UInt8] {
        try #require(HexText.decode(parts.joined()))
    }
}
