import Kafka

/// Topics in memory. A partition without a leader accepts and returns nothing.
final class SimulatedBroker {
    private struct Log {
        var records: [KafkaRecord] = []
        var end: Int64 = 0
        var hasLeader = true
    }

    private var logs: [KafkaTopicPartition: Log] = [:]
    var refusals: BrokerRefusals

    init(_ names: SimulationNames) {
        refusals = BrokerRefusals(names)
        for place in names.inputs + names.states + [names.deadLetters] { logs[place] = Log() }
    }

    func hasLeader(_ place: KafkaTopicPartition) -> Bool { logs[place]?.hasLeader ?? false }
    func setLeader(_ hasLeader: Bool, of place: KafkaTopicPartition) { logs[place]?.hasLeader = hasLeader }
    func end(of place: KafkaTopicPartition) -> Int64 { logs[place]?.end ?? 0 }
    func records(of place: KafkaTopicPartition) -> [KafkaRecord] { logs[place]?.records ?? [] }

    /// Returns records at or after an offset, oldest first.
    func read(_ place: KafkaTopicPartition, from offset: Int64, atMost limit: Int) -> [KafkaRecord] {
        guard let log = logs[place] else { return [] }
        let first = log.records.firstIndex { $0.offset.rawValue >= offset } ?? log.records.count
        return Array(log.records[first...].prefix(limit))
    }

    /// Appends a record.
    ///
    /// - Parameter now: the time of writing, milliseconds since 1970.
    @discardableResult
    func append(_ record: KafkaProducerRecord, to place: KafkaTopicPartition, at now: Int64) -> KafkaRecord {
        let appended = KafkaRecord(
            topic: place.topic, partition: place.partition, offset: KafkaOffset(rawValue: end(of: place)),
            timestampMilliseconds: record.timestampMilliseconds ?? now, key: record.key, value: record.value,
            headers: record.headers)
        logs[place]?.records.append(appended)
        logs[place]?.end += 1
        return appended
    }

    /// Removes all records that are older than the lag and not the last of their key.
    ///
    /// - Parameter lag: the topic's `min.compaction.lag.ms`.
    func compact(_ place: KafkaTopicPartition, at now: Int64, lag: Int64) {
        guard let records = logs[place]?.records else { return }
        var last: [[UInt8]: Int64] = [:]
        for record in records { last[record.key ?? []] = record.offset.rawValue }
        logs[place]?.records = records.filter {
            now - ($0.timestampMilliseconds ?? 0) < lag || last[$0.key ?? []] == $0.offset.rawValue
        }
    }
}
