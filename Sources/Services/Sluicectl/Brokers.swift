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

    /// Runs `body` with a client for the brokers and a configuration for further clients, then closes the client.
    ///
    /// - Parameter timeout: timeout for the brokers' first response.
    static func connected<Result>(
        _ configuration: Configuration, _ timeout: Duration,
        _ body: (KafkaAdmin, KafkaConfiguration) async throws -> Result
    ) async throws -> Result {
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { admin in
            try await body(admin, try brokers.readerConfiguration(isEmbedded: try await brokers.isEmbedded(admin)))
        }
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
