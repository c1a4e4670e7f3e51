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
        let scan = try await TopicScan(topic, of: admin, with: kafka)
        let box = Box(ReadRefunds(gap: gap))
        try await scan.run { record in
            box.refunds.take(record)
            return true
        }
        return box.refunds
    }

    private final class Box {
        var refunds: ReadRefunds

        init(_ refunds: ReadRefunds) { self.refunds = refunds }
    }
}
