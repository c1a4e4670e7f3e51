extension KafkaRights {
    /// Returns whether the user may read from topics, by reading one partition of each at its end.
    ///
    /// - Parameter ends: the end offset of one partition of each topic.
    package func reading(at ends: [KafkaTopicPartition: KafkaOffset]) async -> [KafkaTopic: Answer] {
        var answers: [KafkaTopic: Answer] = [:]
        guard !ends.isEmpty else { return answers }
        var options = KafkaConsumer.Options()
        options.stopsIfDenied = true
        let consumer = KafkaConsumer(configuration, source: .partitions(ends), options: options) { _ in }
        do {
            try await consumer.start()
        } catch {
            await consumer.close(within: .seconds(1))
            return Dictionary(
                ends.keys.map { ($0.topic, .unknown("\(error)")) }, uniquingKeysWith: { first, _ in first })
        }
        await consumer.after(limit) { $0.stopReading(because: KafkaError(.timedOut, "no response")) }
        for partition in await consumer.assignedPartitions {
            let topic = partition.topicPartition.topic
            if await partition.next(maxRecords: 1) != nil {
                answers[topic] = .granted
            } else if let failure = await consumer.failure(of: partition) {
                answers[topic] = failure.code == .topicAuthorizationFailed ? .denied : .unknown(failure.message)
            } else {
                answers[topic] = .unknown("no response")
            }
        }
        await consumer.close(within: .seconds(1))
        return answers
    }
}
