internal import Kafka

/// Reads one partition of any length from an offset to its end.
enum WholeTopic {
    /// - Parameters:
    ///   - limit: the time limit per batch. The whole read has no limit, so that a topic that has grown for years does
    ///     not prevent startup.
    ///   - piece: the number of records per batch.
    /// - Throws: a `KafkaError` if a batch was not read in time.
    static func read(
        _ place: KafkaTopicPartition, of kafka: KafkaConfiguration, from start: KafkaOffset,
        within limit: Duration = .seconds(120), piece: Int = 20_000, body: ([KafkaRecord]) async throws -> Void
    ) async throws {
        var next = start
        while true {
            var count = 0
            try await KafkaConsumer.readToEnd(kafka, from: [place: next], atMost: piece, within: limit) { records in
                if let last = records.last { next = KafkaOffset(rawValue: last.offset.rawValue + 1) }
                count += records.count
                try await body(records)
            }
            guard count >= piece else { return }
        }
    }
}
