/// Default properties for Apache Kafka and the embedded broker.
enum DefaultProperties {
    static func common(_ profile: KafkaConfiguration.Profile) -> [ClientProperty] {
        [
            ClientProperty("reconnect.backoff.ms", profile == .production ? "100" : "50"),
            // The maximum backoff also limits how late librdkafka reports that a record timed out.
            ClientProperty("reconnect.backoff.max.ms", profile == .production ? "1000" : "500"),
            ClientProperty("socket.timeout.ms", "10000"),
            ClientProperty("socket.nagle.disable", "true"),
            ClientProperty("socket.keepalive.enable", "true"),
            // Brokers close idle connections after ten minutes, which is not worth logging.
            ClientProperty("log.connection.close", "false"),
            ClientProperty("topic.metadata.refresh.interval.ms", "60000"),
            ClientProperty("statistics.interval.ms", "5000"),
        ]
    }

    static func producer(_ profile: KafkaConfiguration.Profile) -> [ClientProperty] {
        [
            ClientProperty("max.in.flight.requests.per.connection", "5"),
            // 5 ms adds little latency and saves most of the CPU time. With 0, the broker thread spins while 5 requests
            // are in flight.
            ClientProperty("linger.ms", profile == .production ? "5" : "1"),
            ClientProperty("compression.codec", "lz4"),
            ClientProperty("delivery.timeout.ms", "5000"),
            // How long the leader waits for its followers; not a client timeout.
            ClientProperty("request.timeout.ms", "4000"),
            ClientProperty("queue.buffering.max.messages", "20000"),
            ClientProperty("queue.buffering.max.kbytes", "65536"),
            ClientProperty("message.max.bytes", "1000000"),
            // Batches are small, because a consumer buffers at least one decompressed batch per partition.
            ClientProperty("batch.size", "131072"),
            // Sends to an unknown topic must fail quickly.
            ClientProperty("topic.metadata.propagation.max.ms", "5000"),
        ]
    }

    /// Makes admin clients log closed connections. If the listener requires a different security protocol, the only
    /// sign is that it closes the connection immediately. Idle connections cause no log lines, because no admin client
    /// lives long enough for brokers to close them.
    static let admin = [ClientProperty("log.connection.close", "true")]

    static func consumer(_ profile: KafkaConfiguration.Profile, _ prefetch: KafkaPrefetch) -> [ClientProperty] {
        let isProduction = profile == .production
        return prefetch.properties(profile) + [
            ClientProperty("session.timeout.ms", isProduction ? "20000" : "3000"),
            ClientProperty("heartbeat.interval.ms", isProduction ? "3000" : "500"),
            ClientProperty("max.poll.interval.ms", isProduction ? "300000" : "30000"),
            ClientProperty("auto.commit.interval.ms", isProduction ? "1000" : "500"),
            ClientProperty("isolation.level", "read_committed"),
            // librdkafka sends a broker one fetch request at a time. Partitions with full queues are left out of the
            // request. If the request contains only partitions without new records, the partitions that were left out
            // wait until the long poll ends. With 500 ms, a consumer of 12 partitions with a backlog and 12 empty ones
            // is idle for two thirds of the time. The limit is lower for a bulk read, which has no other work, and for
            // the embedded broker, which waits until the limit even if data arrives.
            ClientProperty("fetch.wait.max.ms", isProduction && !prefetch.isBulk ? "100" : "10"),
            ClientProperty("fetch.min.bytes", "1"),
            ClientProperty("reconnect.backoff.max.ms", isProduction ? "2000" : "500"),
            // The interval also determines how often an idle consumer is polled.
            ClientProperty("statistics.interval.ms", isProduction ? "5000" : "1000"),
        ]
    }
}

/// Properties that this library requires for every client with a given role.
enum FixedProperties {
    /// Returns the properties for all roles. `allow.auto.create.topics` is true for the embedded broker, because that
    /// broker creates topics regardless of the property, and with `false`, librdkafka would warn repeatedly.
    static func common(_ profile: KafkaConfiguration.Profile) -> [ClientProperty] {
        [
            ClientProperty("log.queue", "true"),
            ClientProperty("allow.auto.create.topics", profile == .embedded ? "true" : "false"),
        ]
    }

    static let producer = [
        ClientProperty("enable.idempotence", "true"), ClientProperty("acks", "all"),
        ClientProperty("partitioner", "murmur2_random"),
        ClientProperty("delivery.report.only.error", "false"),
    ]

    static let consumer = [
        ClientProperty("check.crcs", "true"),
        ClientProperty("enable.auto.offset.store", "false"), ClientProperty("enable.auto.commit", "true"),
        ClientProperty("auto.offset.reset", "error"),
    ]

    static let classicGroup = [ClientProperty("partition.assignment.strategy", "cooperative-sticky")]
}

/// Properties that a caller may not set.
enum ReservedProperties {
    /// Returns the reason a property is rejected, or nil if it is allowed.
    static func refusal(name: String, value: String) -> String? {
        if let reason = reasons[name] { return reason }
        if name == "statistics.interval.ms", !(1...15_000).contains(Int(value) ?? 0) {
            return "statistics drive liveness, lag and the broker check, so the interval must be 1 to 15000 ms"
        }
        return nil
    }

    private static let durability =
        "every record is acknowledged by all in-sync replicas and never duplicated by a retry"
    private static let offsets = "offsets are stored and committed only after a record's effect is durable"

    private static let reasons: [String: String] = [
        "bootstrap.servers": "set the brokers with kafka.bootstrap.servers instead",
        "metadata.broker.list": "set the brokers with kafka.bootstrap.servers instead",
        "enable.idempotence": durability,
        "acks": durability,
        "request.required.acks": durability,
        "enable.gapless.guarantee": durability,
        "retries": durability,
        "message.send.max.retries": durability,
        "transactional.id": "transactions are not used",
        "transaction.timeout.ms": "transactions are not used",
        "partitioner": "murmur2_random matches Java clients; a different partitioner would break per-key ordering",
        "delivery.report.only.error": "each send waits for its delivery report",
        "enable.auto.offset.store": offsets,
        "enable.auto.commit": offsets,
        "auto.commit.enable": offsets,
        "offset.store.method": offsets,
        "auto.offset.reset": "an offset that is no longer in the log must stop the consumer",
        "partition.assignment.strategy": "all members of a group must use cooperative-sticky",
        "check.crcs": "a damaged record must stop the consumer",
        "enable.partition.eof": "the consumer sets it as needed",
        "group.id": "the consumer defines its group",
        "log.queue": "log lines are delivered through the client's queue",
        "allow.auto.create.topics": "topics are created explicitly, with their partitions and settings",
        "enabled_events": "the client selects its events",
        "test.mock.num.brokers": "use DevBroker for an embedded broker",
    ]
}

/// Property names by role. librdkafka warns about properties that do not apply to a client, so each client receives
/// only the properties for its role (column "C/P" in librdkafka's CONFIGURATION.md).
enum PropertyNames {
    static let producerOnly: Set<String> = [
        "acks", "batch.num.messages", "batch.size", "compression.codec", "compression.level", "compression.type",
        "delivery.report.only.error", "delivery.timeout.ms", "enable.gapless.guarantee", "enable.idempotence",
        // Consumers do not receive message.max.bytes; otherwise, librdkafka would reject a smaller fetch.max.bytes.
        "message.max.bytes",
        "linger.ms", "message.send.max.retries", "message.timeout.ms", "partitioner", "produce.offset.report",
        "queue.buffering.backpressure.threshold", "queue.buffering.max.kbytes", "queue.buffering.max.messages",
        "queue.buffering.max.ms", "queuing.strategy", "request.required.acks", "request.timeout.ms", "retries",
        "retry.backoff.ms", "sticky.partitioning.linger.ms", "transaction.timeout.ms", "transactional.id",
    ]

    static let consumerOnly: Set<String> = [
        "auto.commit.enable", "auto.commit.interval.ms", "auto.offset.reset", "check.crcs",
        "consume.callback.max.messages", "coordinator.query.interval.ms", "enable.auto.commit",
        "enable.auto.offset.store", "enable.partition.eof", "fetch.error.backoff.ms", "fetch.max.bytes",
        "fetch.message.max.bytes", "fetch.min.bytes", "fetch.queue.backoff.ms", "fetch.wait.max.ms", "group.id",
        "group.instance.id", "group.protocol", "group.protocol.type", "group.remote.assignor", "heartbeat.interval.ms",
        "isolation.level", "max.partition.fetch.bytes",
        "max.poll.interval.ms", "offset.store.method", "offset.store.path", "offset.store.sync.interval.ms",
        "partition.assignment.strategy", "queued.max.messages.kbytes", "queued.min.messages", "session.timeout.ms",
    ]

    /// Properties that apply only to group members. Session timeouts are not included, because librdkafka compares them
    /// with other properties even without a group.
    static let memberOnly: Set<String> = ["group.instance.id", "group.protocol", "group.remote.assignor"]

    /// Properties that apply only if the group's members assign the partitions.
    static let classicGroupOnly: Set<String> = [
        "group.protocol.type", "heartbeat.interval.ms", "partition.assignment.strategy", "session.timeout.ms",
    ]
}
