internal import CRdKafka
internal import Dispatch
internal import Synchronization

/// One librdkafka producer with its topic handles. A fatal error ends a generation, and the next one replaces it.
final class ProducerGeneration: Sendable {
    let number: Int
    let handle: KafkaHandle
    /// The topic handles, created at startup, because the first record sent by topic name may wait a second for its
    /// topic. `deinit` destroys them before the client, which is destroyed with the last reference to `handle`.
    private let topics: [KafkaTopic: TopicPointer]
    /// Topics whose metadata has not arrived yet.
    private let missing: Mutex<Set<KafkaTopic>>
    /// Topics that this user may not describe, as reported by the brokers.
    private let denied = Mutex<Set<KafkaTopic>>([])
    /// The partition count of each topic when its metadata first arrived.
    private let partitions = Mutex<[KafkaTopic: Int32]>([:])

    init(
        number: Int, configuration: KafkaConfiguration, topics names: [KafkaTopic], home: DispatchQueue
    ) throws(KafkaError) {
        let handle = try KafkaHandle(
            .producer, settings: configuration.settings(for: .producer), tokens: configuration.tokenSource, home: home)
        var topics: [KafkaTopic: TopicPointer] = [:]
        for name in names where topics[name] == nil {
            guard let raw = rd_kafka_topic_new(handle.client.raw, name.rawValue, nil) else {
                let code = rd_kafka_last_error()
                for topic in topics.values { rd_kafka_topic_destroy(topic.raw) }
                throw KafkaError(code, during: "topic \(name)")
            }
            topics[name] = TopicPointer(raw: raw)
        }
        self.number = number
        self.handle = handle
        self.topics = topics
        missing = Mutex(Set(names))
    }

    deinit {
        for topic in topics.values { rd_kafka_topic_destroy(topic.raw) }
    }

    /// Returns a declared topic's handle, or nil if the topic is undeclared.
    func topic(_ name: KafkaTopic) -> TopicPointer? { topics[name] }

    /// Returns the partition that the partitioner will choose for a record, or nil if the topic has no metadata yet or
    /// the record has no key.
    func partition(of record: KafkaProducerRecord) -> KafkaPartition? {
        guard let key = record.key, let count = partitions.withLock({ $0[record.topic] }) else { return nil }
        return KafkaPartition(ofKey: key, partitions: count)
    }

    /// Topics that have no metadata yet or do not exist.
    var missingTopics: Set<KafkaTopic> { missing.withLock { $0 } }

    /// Topics that were not found and that this user may not describe. Brokers do not reveal whether these topics
    /// exist.
    var deniedTopics: Set<KafkaTopic> { denied.withLock { $0 } }

    /// Requests metadata for ``missingTopics``, waiting at most one second for each, until a request fails. Blocks.
    func fetchMetadata() {
        for name in missingTopics {
            guard let topic = topics[name] else { continue }
            var metadata: UnsafePointer<rd_kafka_metadata>?
            let code = rd_kafka_metadata(handle.client.raw, 0, topic.raw, &metadata, 1000)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else { return }
            let answer = metadata.pointee
            let isKnown =
                answer.topic_cnt == 1 && answer.topics[0].err == RD_KAFKA_RESP_ERR_NO_ERROR
                && answer.topics[0].partition_cnt > 0
            let count = isKnown ? answer.topics[0].partition_cnt : 0
            let isDenied =
                answer.topic_cnt == 1 && answer.topics[0].err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
            denied.withLock { denied in
                if isDenied { denied.insert(name) } else { denied.remove(name) }
            }
            rd_kafka_metadata_destroy(metadata)
            guard isKnown else { continue }
            partitions.withLock { $0[name] = count }
            missing.withLock { _ = $0.remove(name) }
        }
    }

    /// Passes a record to librdkafka, which copies it. Returns nil if a delivery report will follow.
    func produce(_ record: KafkaProducerRecord, to topic: TopicPointer, ticket: PendingSends.Ticket) -> KafkaError? {
        let headers = record.headers.isEmpty ? nil : Self.makeHeaders(record.headers)
        let code = withPointer(to: record.key) { key, keyCount in
            withPointer(to: record.value) { value, valueCount in
                crdkafka_produce(
                    handle.client.raw, topic.raw, record.partition?.rawValue ?? -1, key, keyCount, value, valueCount,
                    record.timestampMilliseconds ?? 0, headers, ticket.rawValue)
            }
        }
        switch code {
        case RD_KAFKA_RESP_ERR_NO_ERROR: return nil
        case RD_KAFKA_RESP_ERR__QUEUE_FULL: return KafkaError(.tooManyInFlight, "librdkafka's queue is full")
        case RD_KAFKA_RESP_ERR__FATAL: return .fatal(of: handle.client) ?? KafkaError(code, during: "send")
        default: return KafkaError(code, during: "send to \(record.topic)")
        }
    }

    /// Purges queued and in-flight records without waiting. Their reports arrive through the queue.
    func purge() {
        let flags = RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING
        rd_kafka_purge(handle.client.raw, flags)
    }

    /// Simulates a fatal error in librdkafka, to test the replacement.
    func failFatally(_ code: KafkaError.Code, reason: String) {
        rd_kafka_test_fatal_error(handle.client.raw, rd_kafka_resp_err_t(rawValue: code.rawValue), reason)
    }

    /// Creates headers that the caller must destroy or pass to librdkafka.
    private static func makeHeaders(_ headers: [KafkaHeader]) -> OpaquePointer? {
        let pointer = rd_kafka_headers_new(headers.count)
        for header in headers {
            var name = header.key
            name.withUTF8 { name in
                name.withMemoryRebound(to: CChar.self) { name in
                    header.withValue { value in
                        withAddress(of: value) { value, count in
                            _ = rd_kafka_header_add(pointer, name.baseAddress, name.count, value, count)
                        }
                    }
                }
            }
        }
        return pointer
    }
}

private func withPointer<Result>(to bytes: [UInt8]?, _ body: (UnsafeRawPointer?, Int) -> Result) -> Result {
    guard let bytes else { return body(nil, 0) }
    return bytes.withUnsafeBytes { withAddress(of: $0, body) }
}

/// Calls `body` with the address of the bytes. The address is null for nil, but not for empty bytes, because Kafka
/// distinguishes the two.
private func withAddress<Result>(
    of bytes: UnsafeRawBufferPointer?, _ body: (UnsafeRawPointer?, Int) -> Result
) -> Result {
    guard let bytes else { return body(nil, 0) }
    guard !bytes.isEmpty else { return withUnsafeBytes(of: UInt8(0)) { body($0.baseAddress, 0) } }
    return body(bytes.baseAddress, bytes.count)
}
