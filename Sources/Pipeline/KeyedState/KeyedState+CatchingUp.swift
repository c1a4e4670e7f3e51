public import Kafka

extension KeyedState {
    /// Returns when everything was read that the state's topic of an input held when this was called.
    ///
    /// - Parameter input: the topic whose state this is; this member follows all its partitions.
    /// - Throws: a ``StateError`` for a partition that is not followed, a `KafkaError` when a leader does not tell its
    ///   end, `CancellationError` when the task is cancelled or reading has ended.
    public func catchUp(with input: KafkaTopic) async throws {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        let parts = try parts()
        for place in parts.partitions.keys where place.topic == topic {
            guard withRunning({ $0.followed[place] }) != nil else {
                throw StateError(.changelog, "this member does not follow \(place)")
            }
            let end = try await parts.consumer.watermarks(of: place, within: .seconds(10)).high
            guard await progress.wait(for: end.rawValue, of: place) else { throw CancellationError() }
        }
    }
}
