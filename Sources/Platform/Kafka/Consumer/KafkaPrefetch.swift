internal import CRdKafka

/// A limit on prefetched bytes across all of a consumer's partitions.
///
/// librdkafka limits each partition separately, and its properties cannot change while a client runs. Therefore, each
/// partition gets a share when the client is created, based on the number of partitions that may be assigned. A batch
/// is fetched as a whole, so a partition may buffer one batch of any size.
public struct KafkaPrefetch: Hashable, Sendable {
    /// The limit on the total size of prefetched keys and values, in bytes.
    public var totalBytes = 16 << 20
    /// The maximum number of partitions assigned to this consumer at a time. If nil, it is the number of partitions at
    /// startup, or ``assumedPartitions`` if that is unknown.
    public var partitions: Int?
    /// Whether the process only reads whole partitions at maximum speed. If so, a partition may have a longer queue and
    /// larger fetches, so that full queues rarely stall librdkafka.
    public var isBulk = false

    /// The number of partitions assumed if the actual number is unknown.
    public static let assumedPartitions = 24

    /// Creates the default limits.
    public init() {}

    /// Limits for a process that reads whole partitions and exits: 128 MiB.
    public static var bulk: KafkaPrefetch {
        var prefetch = KafkaPrefetch()
        prefetch.totalBytes = 128 << 20
        prefetch.isBulk = true
        return prefetch
    }

    /// Returns librdkafka's properties for one partition's share.
    func properties(_ profile: KafkaConfiguration.Profile) -> [ClientProperty] {
        let share = max(0, totalBytes) / max(1, partitions ?? Self.assumedPartitions)
        if isBulk { return Self.bulkProperties(share) }
        // librdkafka checks the queue's limit before a fetch, and decompressed records take about four times the size
        // of the fetch. Therefore, half of the share is for the queue and half for one fetch.
        let queued = (share / 2).clamped(to: 16 << 10...(profile == .production ? 8 << 20 : 1 << 20))
        let fetched = (share / 8).clamped(to: 8 << 10...1 << 20)
        return [
            // Enough for two seconds of work. With fewer records, the fetcher stalls for a second each time the queue
            // is full. librdkafka needs about 400 bytes per record in addition to its content.
            ClientProperty("queued.min.messages", "\((share / 1024).clamped(to: 100...2000))"),
            ClientProperty("queued.max.messages.kbytes", "\(queued >> 10)"),
            ClientProperty("fetch.message.max.bytes", "\(fetched)"),
            ClientProperty("fetch.max.bytes", "4194304"),
        ] + Self.backoff
    }

    private static func bulkProperties(_ share: Int) -> [ClientProperty] {
        let fetched = (share >> 3).clamped(to: 64 << 10...8 << 20)
        return [
            ClientProperty("queued.min.messages", "\((share / 256).clamped(to: 10_000...1_000_000))"),
            ClientProperty("queued.max.messages.kbytes", "\((share >> 1).clamped(to: 64 << 10...64 << 20) >> 10)"),
            ClientProperty("fetch.message.max.bytes", "\(fetched)"),
            ClientProperty("fetch.max.bytes", "\(max(fetched, 4 << 20))"),
        ] + backoff
    }

    /// The delay before a full queue is checked again (`fetch.queue.backoff.ms`). librdkafka versions before 2.3 lack
    /// this property and wait a second.
    private static var backoff: [ClientProperty] {
        hasQueueBackoff ? [ClientProperty("fetch.queue.backoff.ms", "50")] : []
    }

    private static var hasQueueBackoff: Bool { rd_kafka_version() >= 0x0203_00ff }

    /// Returns the number of consecutive bytes read from one partition at which its queue may have been full.
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
