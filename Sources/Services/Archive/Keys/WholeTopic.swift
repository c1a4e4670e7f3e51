internal import Kafka

/// Reads one partition from an offset to its end, of any length.
enum WholeTopic {
    /// - Parameters:
    ///   - limit: time limit of each batch, not of the whole, so that a topic that has grown for years does not prevent
    ///     the start.
    ///   - piece: number of records in a batch.
    /// - Throws: a `KafkaError` when a batch was not read in time.
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
