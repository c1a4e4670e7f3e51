internal import Kafka

/// Reads one partition from an offset to its end, however long it is.
enum WholeTopic {
    /// - Parameters:
    ///   - limit: bounds each piece, not the whole: a topic that has grown for years is no reason not to start.
    ///   - piece: records of a piece.
    /// - Throws: a `KafkaError` when a piece was not read in time.
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
