extension KafkaRights {
    /// A topic that does not exist, so that a commit for it changes nothing.
    private static let absentTopic = KafkaTopic(rawValue: "sluice.doctor.absent")

    /// Returns whether the user may read as a member of a group, by attempting a commit for a topic that does not
    /// exist.
    package func reading(as group: KafkaConsumerGroup, _ admin: KafkaAdmin) async -> Answer {
        do throws(KafkaError) {
            let place = KafkaTopicPartition(topic: Self.absentTopic, partition: KafkaPartition(rawValue: 0))
            try await admin.alterOffsets(of: group, to: [place: KafkaOffset(rawValue: 0)], within: limit)
            return .granted
        } catch {
            return Self.answer(error)
        }
    }

    /// Returns whether the user may describe a group, by querying its committed offset for a topic that does not exist.
    package func describing(_ group: KafkaConsumerGroup, _ admin: KafkaAdmin) async -> Answer {
        do throws(KafkaError) {
            let place = KafkaTopicPartition(topic: Self.absentTopic, partition: KafkaPartition(rawValue: 0))
            _ = try await admin.committedOffsets(of: group, partitions: [place], within: limit)
            return .granted
        } catch {
            return Self.answer(error)
        }
    }

    /// Returns the answer that an error implies. Brokers check authorization for the group first, so an error about the
    /// topic or the group's members means that the permission is granted.
    private static func answer(_ error: KafkaError) -> Answer {
        switch error.code {
        case .groupAuthorizationFailed: .denied
        case .topicAuthorizationFailed, .unknownTopicOrPartition, .unknownMember, .illegalGeneration,
            .rebalanceInProgress, .fencedInstance:
            .granted
        default: .unknown(error.message)
        }
    }
}
