internal import Configuration
internal import FoundationEssentials
internal import JSON
internal import Kafka
internal import Telemetry

/// A record that the receiver has failed to process more than once while accepting others.
struct KeptFailure: Sendable, Hashable {
    /// Identifies the record. The timestamp distinguishes it from a record at the same offset in a recreated topic.
    struct Record: Sendable, Hashable {
        let topic: String
        let partition: Int64
        let offset: Int64
        /// The record's timestamp, in milliseconds since 1970, or -1 if it has none.
        let timestamp: Int64

        init(topic: String, partition: Int64, offset: Int64, timestamp: Int64) {
            self.topic = topic
            self.partition = partition
            self.offset = offset
            self.timestamp = timestamp
        }

        init(_ record: KafkaRecord) {
            self.init(
                topic: record.topic.rawValue, partition: Int64(record.partition.rawValue),
                offset: record.offset.rawValue, timestamp: record.timestampMilliseconds ?? -1)
        }
    }

    let record: Record
    /// The number of failures. A failure counts only if the receiver has accepted another record since the previous
    /// one.
    let count: Int
    /// The time of the first failure, in milliseconds since 1970.
    let first: Int64
}

/// The failures of a group's records, saved so that the `webhooks.failures.time` period does not begin again at each
/// restart. An unreadable file is treated as empty, and a failed write causes only a warning.
struct FailuresFile: Sendable {
    /// The layout version. Files with other versions are treated as empty.
    static let formatVersion: Int64 = 1
    /// The maximum number of failures stored.
    static let maximumCount = 1_000
    private static let maximumBytes = 1 << 20
    /// The maximum valid number of failures for a record: greater than any count reachable within the retention, but
    /// small enough that further increments cannot overflow.
    private static let maximumFailures: Int64 = 1 << 32

    let path: String
    let log: RateLimitedLogger?

    init(path: String, log: RateLimitedLogger? = nil) {
        self.path = path
        self.log = log
    }

    /// Uses the file `<directory>/<group>.failures.json`.
    init(group: String, in directory: String, log: RateLimitedLogger?) {
        let name = String(group.map { $0.isLetter || $0.isNumber || "-._".contains($0) ? $0 : "_" })
        self.init(path: "\(directory)/\(name).failures.json", log: log)
    }

    func read() -> [KeptFailure] {
        guard let bytes = try? BoundedFile.read(path, limit: Self.maximumBytes), let root = try? JSONValue(json: bytes),
            root.object?["version"]?.integer == Self.formatVersion, let failures = root.object?["failures"]?.array
        else { return [] }
        return failures.prefix(Self.maximumCount).compactMap(Self.failure)
    }

    func write(_ failures: [KeptFailure]) {
        let text = JSONValue.object([
            "version": .integer(Self.formatVersion), "failures": .array(failures.map(Self.json)),
        ]).json
        do {
            try Data(text).write(to: URL(filePath: path), options: .atomic)
        } catch {
            log?.log(
                .warning, key: "failures", "could not save webhook failures for the next start",
                [LogField(.path, path), LogField(.error, "\(error)")])
        }
    }

    private static func failure(_ value: JSONValue) -> KeptFailure? {
        guard let object = value.object, let topic = object["topic"]?.string,
            let partition = object["partition"]?.integer, let offset = object["offset"]?.integer,
            let timestamp = object["timestamp"]?.integer, let count = object["count"]?.integer,
            let first = object["first"]?.integer, (1...maximumFailures).contains(count)
        else { return nil }
        return KeptFailure(
            record: .init(topic: topic, partition: partition, offset: offset, timestamp: timestamp),
            count: Int(clamping: count), first: first)
    }

    private static func json(_ failure: KeptFailure) -> JSONValue {
        .object([
            "topic": .string(failure.record.topic), "partition": .integer(failure.record.partition),
            "offset": .integer(failure.record.offset), "timestamp": .integer(failure.record.timestamp),
            "count": .integer(Int64(failure.count)), "first": .integer(failure.first),
        ])
    }
}
