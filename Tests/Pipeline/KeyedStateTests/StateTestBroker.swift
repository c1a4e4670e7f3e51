import Kafka
import KafkaDevBroker

/// One embedded broker for all tests of this module. Each test has its own topics.
enum StateTestBroker {
    private static let broker = Result { try DevBroker() }

    static func shared() throws -> DevBroker { try broker.get() }

    static func configuration() throws -> KafkaConfiguration {
        try KafkaConfiguration(bootstrapServers: shared().bootstrapServers, profile: .embedded)
    }
}
