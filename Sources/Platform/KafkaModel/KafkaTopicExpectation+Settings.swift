extension KafkaTopicExpectation {
    /// The minimum retention in milliseconds. Senders retry for a week. With a shorter retention period, records could
    /// be deleted before consumers have read them.
    private static let shortestRetention: Int64 = 8 * 86_400_000

    /// Creates the expectation for a topic created with these settings. Operators may later choose a different
    /// retention period, but not one that deletes records before they are read.
    public init(topic: KafkaTopic, createdWith settings: [String: String]) {
        self.init(topic: topic)
        func number(_ subject: KafkaTopicFinding.Subject) -> Int64? {
            settings[subject.rawValue].flatMap { Int64($0) }
        }
        maxMessageBytes = number(.maxMessageBytes).flatMap { Int(exactly: $0) }
        cleanupPolicy = settings[KafkaTopicFinding.Subject.cleanupPolicy.rawValue]
        retentionMilliseconds = number(.retention).map {
            $0 < 0 ? Self.shortestRetention : min($0, Self.shortestRetention)
        }
        deleteRetentionMilliseconds = number(.deleteRetention)
        compactionLagMilliseconds = number(.compactionLag)
        maxCompactionLagMilliseconds = number(.maxCompactionLag)
        maxSegmentMilliseconds = number(.segment)
        timestampType = settings[KafkaTopicFinding.Subject.timestampType.rawValue]
    }
}
