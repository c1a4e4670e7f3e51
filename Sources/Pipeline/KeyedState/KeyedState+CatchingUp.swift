public import Kafka

extension KeyedState {
    /// Returns once this member has read everything that the state's topic for an input contained at the time of the
    /// call.
    ///
    /// - Parameter input: the input topic; this member must follow all partitions of its state's topic.
    /// - Throws: a ``StateError`` if a partition is not followed, a `KafkaError` if a leader does not return the end of
    ///   a partition, or a `CancellationError` if the task is cancelled or reading has ended.
    public func catchUp(with input: KafkaTopic) async throws {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        let parts = try parts()
        let places = parts.partitions.keys.filter { $0.topic == topic }
        for place in places where withRunning({ $0.followed[place] }) == nil {
            throw StateError(.changelog, "this member does not follow \(place)")
        }
        try await withThrowingTaskGroup(of: (KafkaTopicPartition, KafkaWatermarks).self) { group in
            for place in places { group.addTask { (place, try await parts.changelog.queries.watermarks(of: place)) } }
            for try await (place, ends) in group {
                sawEnd(ends.high.rawValue, of: place)
                guard await progress.wait(for: ends.high.rawValue, of: place) else { throw CancellationError() }
            }
        }
    }
}
