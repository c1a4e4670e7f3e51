internal import Cryptography
internal import Kafka

/// Digests of the records in a state topic, by key. They take about 200 bytes of memory per key and 50 per record.
struct StateRows {
    /// The last record for a key in a partition.
    struct Last {
        let partition: KafkaPartition
        let record: SHA256Digest
        let timestamp: Int64
    }

    /// The last record for each key that is in only one partition.
    private(set) var rows: [SHA256Digest: Last] = [:]
    /// The last records for each key that is in several partitions, one per partition.
    private(set) var split: [SHA256Digest: [Last]] = [:]
    /// The digests of all records, including records that a later record with the same key replaces.
    private(set) var versions: Set<SHA256Digest> = []
    private(set) var records = 0
    /// Number of records that members skip: records without a key, and records that another program wrote to the wrong
    /// partition for their key.
    private(set) var skipped = 0

    var keys: Int { rows.count + split.count }

    /// Adds the next record from a partition.
    ///
    /// - Parameters:
    ///   - record: the record in the form that it has, or will have, in the target topic.
    ///   - partition: the partition from which the record was read.
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

    /// Returns the partitions of a key in copying order: the one with the newest last record comes last.
    func partitions(of key: SHA256Digest) -> [KafkaPartition] {
        guard let lasts = split[key] else { return rows[key].map { [$0.partition] } ?? [] }
        return lasts.sorted { ($0.timestamp, $0.partition) < ($1.timestamp, $1.partition) }.map(\.partition)
    }

    /// Returns the record that is the key's last one once all of its records have been copied to one partition, or nil
    /// if the key has no records.
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
