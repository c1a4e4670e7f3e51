internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ServiceKit

/// The configured brokers. Errors name the setting.
struct Brokers {
    let configuration: Configuration
    let kafka: KafkaConfiguration
    /// Timeout for the brokers' first response.
    private let timeout: Duration

    /// - Throws: a ``ConfigurationError`` that names the property.
    init(_ configuration: Configuration, timeout: Duration) throws(ConfigurationError) {
        self.configuration = configuration
        self.timeout = timeout
        kafka = try ApplicationSettings.kafkaConfiguration(configuration, clientId: "sluicectl")
    }

    func admin() throws(StartupError) -> KafkaAdmin {
        do {
            return try KafkaAdmin(kafka)
        } catch {
            throw StartupError(
                error.message, setting: ApplicationSettings.kafka.prefix + "*", fix: "Correct the property",
                exitCode: .configuration)
        }
    }

    /// Returns whether the broker is embedded. This is the first request, so it also detects unresponsive brokers.
    func isEmbedded(_ admin: KafkaAdmin) async throws(StartupError) -> Bool {
        do {
            return try await admin.isEmbeddedBroker(within: timeout)
        } catch {
            throw StartupError(noAnswer: error, from: kafka.bootstrapServers)
        }
    }

    /// Returns a client configuration for these brokers.
    func readerConfiguration(isEmbedded: Bool) throws(ConfigurationError) -> KafkaConfiguration {
        isEmbedded
            ? try ApplicationSettings.kafkaConfiguration(
                configuration, clientId: "sluicectl", profile: .embedded) : kafka
    }
}
