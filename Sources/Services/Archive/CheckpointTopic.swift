internal import Kafka
internal import TransparencyLog

/// Reads the latest records for each origin from the checkpoint topic before a log is opened.
actor CheckpointTopic {
    /// The number of records kept per origin. Keeping several prevents a record that the archive did not sign from
    /// displacing one that it signed.
    private static let keptRecords = 32

    private let kafka: KafkaConfiguration
    private let partition: KafkaTopicPartition
    private var next = KafkaOffset.beginning
    private var latest: [[UInt8]: [[UInt8]]] = [:]
    /// The read in progress, awaited by every caller.
    private var reading: Task<Void, any Error>?

    init(kafka: KafkaConfiguration, topic: KafkaTopic) {
        self.kafka = kafka
        partition = KafkaTopicPartition(topic: topic, partition: 0)
    }

    /// Returns the last notes of a log without verifying their signatures.
    ///
    /// - Throws: a `KafkaError` if the topic cannot be read.
    func notes(of origin: String) async throws -> [SignedNote] {
        if reading == nil {
            // The task is unstructured because many logs are opened at the same time and share it; each caller awaits
            // it below.
            reading = Task { try await read() }
        }
        defer { reading = nil }
        try await reading?.value
        return (latest[Array(origin.utf8)] ?? []).compactMap { try? SignedNote(bytes: $0) }
    }

    private func read() async throws {
        try await KafkaConsumer.readToEnd(kafka, from: [partition: next], within: .seconds(600)) { records in
            for record in records { add(record) }
        }
    }

    private func add(_ record: KafkaRecord) {
        next = KafkaOffset(rawValue: record.offset.rawValue + 1)
        guard let key = record.key, let value = record.value else { return }
        latest[key, default: []].append(value)
        if latest[key, default: []].count > Self.keptRecords { latest[key]?.removeFirst() }
    }
}
