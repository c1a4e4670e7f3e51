internal import Cryptography
internal import Kafka

/// The records of a state's topic by key, as digests: about 200 bytes of memory for each key, and 50 for each record.
struct StateRows {
    /// The last record of a key in a partition.
    struct Last {
        let partition: KafkaPartition
        let record: SHA256Digest
        let timestamp: Int64
    }

    /// The last record of each key that is in one partition alone.
    private(set) var rows: [SHA256Digest: Last] = [:]
    /// The last records of each key that is in several partitions, one a partition.
    private(set) var split: [SHA256Digest: [Last]] = [:]
    /// All records, also those that a later one of their key replaces.
    private(set) var versions: Set<SHA256Digest> = []
    private(set) var records = 0
    /// Records that no member reads: without a key, or written by a foreign program into another partition than the key's.
    private(set) var skipped = 0

    var keys: Int { rows.count + split.count }

    /// Takes the next record of a partition.
    ///
    /// - Parameters:
    ///   - record: as it is, or is to be, in the topic that is copied to.
    ///   - partition: where it was read.
    mutating func include(_ record: KafkaProducerRecord, _ key: [UInt8], readIn partition: KafkaPartition) {
        records += 1
        let name = SHA256.digest(of: key)
        let last = Last(
            partition: partition, record: Self.digest(of: record), timestamp: record.timestampMilliseconds ?? 0)
        versions.insert(last.record)
        if var others = split[name] {
            others.removeAll { $0.partition == partition }
            split[name] = others + [last]
        } else if let known = rows[name], known.partition != partition {
            rows[name] = nil
            split[name] = [known, last]
        } else {
            rows[name] = last
        }
    }

    mutating func noteSkipped() { skipped += 1 }

    /// The partitions of a key in the order in which their records are copied: the one that was written last is the last.
    func partitions(of key: SHA256Digest) -> [KafkaPartition] {
        guard let lasts = split[key] else { return rows[key].map { [$0.partition] } ?? [] }
        return lasts.sorted { ($0.timestamp, $0.partition) < ($1.timestamp, $1.partition) }.map(\.partition)
    }

    /// The record of a key that is the last one when all are in one partition.
    func last(of key: SHA256Digest) -> SHA256Digest? {
        guard let lasts = split[key] else { return rows[key]?.record }
        return lasts.max { ($0.timestamp, $0.partition) < ($1.timestamp, $1.partition) }?.record
    }

    private static func digest(of record: KafkaProducerRecord) -> SHA256Digest {
        var text: [UInt8] = []
        append(record.key, to: &text)
        append(record.value, to: &text)
        append(Int64(record.timestampMilliseconds ?? -1), to: &text)
        for header in record.headers {
            append(Array(header.key.utf8), to: &text)
            append(header.value, to: &text)
        }
        return SHA256.digest(of: text)
    }

    private static func append(_ bytes: [UInt8]?, to text: inout [UInt8]) {
        append(Int64(bytes?.count ?? -1), to: &text)
        if let bytes { text += bytes }
    }

    private static func append(_ number: Int64, to text: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { text += $0 }
    }
}
