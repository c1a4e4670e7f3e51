internal import ArchiveLog
internal import Kafka
internal import Synchronization
internal import TransparencyLog

/// The checkpoint topic as an anchor. Other principals may read its records, but only the archive may write them. The
/// key is the log's origin; the value is the signed checkpoint.
final class KafkaAnchor: CheckpointAnchor {
    let name = "kafka"

    private let kafka: KafkaConfiguration
    private let topic: KafkaTopic
    private let deadline: Duration
    private let state = Mutex(State.unused)

    private enum State {
        /// No producer yet; it is created on first use.
        case unused
        case open(KafkaProducer)
        case closed
    }

    init(kafka: KafkaConfiguration, topic: KafkaTopic, deadline: Duration = .seconds(30)) {
        self.kafka = kafka
        self.topic = topic
        self.deadline = deadline
    }

    func anchor(_ log: AnchoredLog) async throws(ArchiveServiceError) {
        let record = KafkaProducerRecord(
            topic: topic, key: Array(log.checkpoint.checkpoint.origin.utf8), value: log.checkpoint.note.bytes)
        do throws(KafkaError) {
            _ = try await opened().send(record, deadline: deadline)
        } catch {
            throw ArchiveServiceError(
                error.isRetriable ? .unavailable : .refused,
                "failed to write the checkpoint of \(log.names.prefix) to \(topic): \(error.message)")
        }
    }

    func close(within limit: Duration) async {
        let producer: KafkaProducer? = state.withLock { state in
            defer { state = .closed }
            if case .open(let producer) = state { return producer }
            return nil
        }
        await producer?.close(within: limit)
    }

    private func opened() throws(KafkaError) -> KafkaProducer {
        try state.withLock { (state) throws(KafkaError) in
            switch state {
            case .open(let producer): return producer
            case .closed: throw KafkaError(.closed, "the anchor was closed")
            case .unused:
                let producer = try KafkaProducer(kafka, topics: [topic])
                state = .open(producer)
                return producer
            }
        }
    }
}
