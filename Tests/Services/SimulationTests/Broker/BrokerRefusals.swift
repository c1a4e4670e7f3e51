import Kafka

/// The records that brokers refuse permanently, whoever sends them.
struct BrokerRefusals {
    let names: SimulationNames
    /// Whether all records of the state's topics are refused, as by a lowered `max.message.bytes`.
    var refusesStates = false
    /// The key of a row that is always refused, as if it were too large.
    var refusedKey: [UInt8]?
    /// Whether the dead letter topic refuses records without a key, as compacted topics do.
    var refusesLettersWithoutKey = false
    /// The keys of all rows that were refused, except with another record of the same request.
    private(set) var keys: Set<[UInt8]> = []

    init(_ names: SimulationNames) { self.names = names }

    /// Returns the error of a record, or nil if it is accepted.
    func error(of record: KafkaProducerRecord, to place: KafkaTopicPartition) -> KafkaError? {
        if place == names.deadLetters {
            guard refusesLettersWithoutKey, record.key == nil else { return nil }
            return KafkaError(.recordRejected, "a compacted topic needs keys")
        }
        guard refusesStates || record.key == refusedKey else { return nil }
        return KafkaError(.messageTooLarge, "larger than max.message.bytes")
    }

    /// Notes that a record was refused for its own sake.
    mutating func note(_ record: KafkaProducerRecord) {
        if let key = record.key { keys.insert(key) }
    }
}
