internal import Kafka
internal import Lifecycle
internal import Story

extension ReadRefunds {
    /// Reads an environment's topic to its end.
    ///
    /// - Throws: a `StartupError` if the topic does not exist or the brokers do not respond.
    static func read(
        _ topic: KafkaTopic, gap: Int64, of admin: KafkaAdmin, with kafka: KafkaConfiguration
    ) async throws -> ReadRefunds {
        var refunds = ReadRefunds(gap: gap)
        try await TopicScan(topic, of: admin, with: kafka).run { record in
            refunds.take(record)
            return true
        }
        return refunds
    }
}
