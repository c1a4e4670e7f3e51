internal import Configuration
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime

/// The brokers of the configuration, with errors in the operator's words.
struct Brokers {
    let configuration: Configuration
    let kafka: KafkaConfiguration
    /// How long the first answer may take.
    private let patience: Duration

    /// - Throws: a ``ConfigurationError`` that names the property.
    init(_ configuration: Configuration, patience: Duration) throws(ConfigurationError) {
        self.configuration = configuration
        self.patience = patience
        kafka = try ApplicationSettings.kafkaConfiguration(configuration)
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

    /// Also the first question to the brokers: whether they answer at all.
    func isEmbedded(_ admin: KafkaAdmin) async throws(StartupError) -> Bool {
        do {
            return try await admin.isEmbeddedBroker(within: patience)
        } catch {
            throw StartupError(
                "no Kafka broker answers at \(kafka.bootstrapServers): \(error.message)",
                setting: ApplicationSettings.bootstrapServers.key, fix: "Start Kafka, or name brokers that answer")
        }
    }

    /// How to read from these brokers.
    func readerConfiguration(isEmbedded: Bool) throws(ConfigurationError) -> KafkaConfiguration {
        isEmbedded ? try ApplicationSettings.kafkaConfiguration(configuration, profile: .embedded) : kafka
    }
}
