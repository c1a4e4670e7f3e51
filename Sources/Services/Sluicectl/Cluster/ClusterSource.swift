internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// The cluster to leave, described by its properties file.
struct ClusterSource {
    let configuration: Configuration

    /// Reads `kafka.*` and `topics.prefix` from the file. The environment and flags are ignored, because they describe
    /// the cluster that the installation moves to.
    ///
    /// - Parameters:
    ///   - prefix: the topic prefix on the cluster that the installation moves to; the source's prefix must be the
    ///     same.
    ///   - sharedKeys: keys of the executables, which the file may also contain.
    /// - Throws: a ``StartupError`` if the file is unusable.
    init(file: String, prefix: String, sharedKeys: [String]) throws(StartupError) {
        let schema = ConfigurationSchema(
            [ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix],
            openPrefixes: [ApplicationSettings.kafka])
        let command = Command("source", summary: "", schema: schema.tolerating(sharedKeys))
        let setting = OperationsSettings.clusterSource.key
        switch command.parse(["--config", file], environment: [:]) {
        case .run(let invocation): configuration = invocation.configuration
        case .show(let text): throw StartupError(text, setting: setting, fix: "Pass a file", exitCode: .configuration)
        case .refuse(let lines, _):
            throw StartupError(
                lines.joined(separator: " "), setting: setting, fix: "Correct the file", exitCode: .configuration)
        }
        let other = configuration[OperationsSettings.topicsPrefix]
        guard other == prefix else {
            throw StartupError(
                "\(file) has topics.prefix=\(other), but this cluster has \(prefix)", setting: setting,
                fix: "Mirror the topics under their original names", exitCode: .configuration)
        }
    }

    /// - Throws: a ``StartupError`` or `KafkaError` if the cluster does not respond.
    func view(_ names: TopicNames, of topics: [KafkaTopic: Int64], timeout: Duration) async throws -> ClusterView {
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { admin in
            let isEmbedded = try await brokers.isEmbedded(admin)
            return try await ClusterView(
                names, of: topics, admin, brokers.readerConfiguration(isEmbedded: isEmbedded))
        }
    }
}
