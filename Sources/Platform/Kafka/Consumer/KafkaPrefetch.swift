internal import CRdKafka

/// How many bytes of records a consumer may hold ready, all partitions together.
///
/// librdkafka bounds each partition by itself, and its properties cannot be changed while a client runs. So each
/// partition gets its share when the client is made, by the number of partitions that may be assigned. A batch is
/// fetched as a whole: each partition may hold one batch, however large its producer made it.
public struct KafkaPrefetch: Hashable, Sendable {
    /// Bytes of key and value of the records held ready.
    public var totalBytes = 16 << 20
    /// How many partitions may be assigned to this consumer at a time. Nil: as many as are given at the start, or
    /// ``assumedPartitions`` when those are not known.
    public var partitions: Int?

    /// The divisor where the number of partitions is not known.
    public static let assumedPartitions = 24

    /// The defaults.
    public init() {}

    /// librdkafka's properties of one partition's share.
    func properties(_ profile: KafkaConfiguration.Profile) -> [ClientProperty] {
        let share = max(0, totalBytes) / max(1, partitions ?? Self.assumedPartitions)
        // The limit is compared before a fetch, and a fetch brings about four times its bytes once it is decompressed.
        let queued = (share / 2).clamped(to: 16 << 10...(profile == .production ? 8 << 20 : 1 << 20))
        let fetched = (share / 8).clamped(to: 8 << 10...1 << 20)
        return [
            // Two seconds of work: less stalls the fetcher for a second each time it is full. A record costs librdkafka
            // some 400 bytes beside its own.
            ClientProperty("queued.min.messages", "\((share / 1024).clamped(to: 100...2000))"),
            ClientProperty("queued.max.messages.kbytes", "\(queued >> 10)"),
            ClientProperty("fetch.message.max.bytes", "\(fetched)"),
            ClientProperty("fetch.max.bytes", "4194304"),
        ] + Self.backoff
    }

    /// How soon a queue that was full is looked at again: a second, unless this says otherwise. Not known before 2.3.
    private static var backoff: [ClientProperty] {
        hasQueueBackoff ? [ClientProperty("fetch.queue.backoff.ms", "50")] : []
    }

    private static var hasQueueBackoff: Bool { rd_kafka_version() >= 0x0203_00ff }

    /// How many bytes of one partition, read in a row, may have been a full queue.
    static func refillBytes(_ settings: [ClientProperty]) -> Int {
        guard !hasQueueBackoff else { return .max }
        let kbytes = settings.last { $0.name == "queued.max.messages.kbytes" }.flatMap { Int($0.value) } ?? 65_536
        return (kbytes << 10) / 2
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
