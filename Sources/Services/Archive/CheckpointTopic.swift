internal import ArchiveLog
internal import Kafka
internal import TransparencyLog

/// The topic of checkpoints, as it is read before a log is opened: the largest checkpoint of each origin that the archive's
/// own keys have signed.
actor CheckpointTopic {
    private let kafka: KafkaConfiguration
    private let partition: KafkaTopicPartition
    private let verifiers: ArchiveVerifiers
    private var next = KafkaOffset.beginning
    private var newest: [String: (size: Int, note: SignedNote)] = [:]
    /// A reading that every caller awaits.
    private var reading: Task<Void, any Error>?

    init(kafka: KafkaConfiguration, topic: KafkaTopic, verifiers: ArchiveVerifiers) {
        self.kafka = kafka
        partition = KafkaTopicPartition(topic: topic, partition: 0)
        self.verifiers = verifiers
    }

    /// The largest checkpoint of a log; nil when the topic has none.
    ///
    /// - Throws: a `KafkaError` when the topic cannot be read.
    func note(of origin: String) async throws -> SignedNote? {
        if reading == nil {
            // Unstructured because many logs are opened at once: each caller awaits it below.
            reading = Task { try await read() }
        }
        defer { reading = nil }
        try await reading?.value
        return newest[origin]?.note
    }

    private func read() async throws {
        try await KafkaConsumer.readToEnd(kafka, from: [partition: next], within: .seconds(600)) { records in
            for record in records { take(record) }
        }
    }

    private func take(_ record: KafkaRecord) {
        next = KafkaOffset(rawValue: record.offset.rawValue + 1)
        guard let value = record.value, let note = try? SignedNote(bytes: value),
            let checkpoint = try? Checkpoint(text: note.text),
            checkpoint.size > newest[checkpoint.origin]?.size ?? 0,
            (try? note.verified(by: verifiers.keys(of: checkpoint.origin))) != nil
        else { return }
        newest[checkpoint.origin] = (checkpoint.size, note)
    }
}
