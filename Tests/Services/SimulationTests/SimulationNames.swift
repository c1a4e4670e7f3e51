import AppStoreModel
import Kafka
import Records

/// The topics of a simulation and their partitions.
struct SimulationNames {
    let group = "sluice-refunds"
    let input = TopicNames().notifications(.production)
    let state = TopicNames().refunds(.production)
    let deadLetters: KafkaTopicPartition

    init() { deadLetters = KafkaTopicPartition(topic: input.deadLetters(of: group), partition: 0) }

    var inputs: [KafkaTopicPartition] { partitions(of: input) }
    var states: [KafkaTopicPartition] { partitions(of: state) }

    /// Returns the partition of a key's row.
    func state(of key: [UInt8]) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: state, partition: KafkaPartition(ofKey: key, partitions: Simulation.partitions))
    }

    private func partitions(of topic: KafkaTopic) -> [KafkaTopicPartition] {
        (0..<Simulation.partitions).map { KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)) }
    }
}
