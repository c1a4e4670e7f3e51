import Foundation
import TestSupport

/// Kafka's console consumer and kcat, as independent clients.
enum KafkaTools {
    static let absence = "needs kcat, and KAFKA_HOME with kafka-console-consumer.sh and Java"

    static var areHere: Bool {
        ApacheKafka.isAvailable && consoleConsumer != nil && Program.path(of: "java") != nil
            && Program.path(of: "kcat") != nil
    }

    /// The path of `kafka-console-consumer.sh`.
    static var consoleConsumer: String? {
        ApacheKafka.home.map { $0 + "/bin/kafka-console-consumer.sh" }.flatMap {
            FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
        }
    }
}
