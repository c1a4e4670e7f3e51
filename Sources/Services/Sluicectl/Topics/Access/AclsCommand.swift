internal import CommandLine
internal import Configuration
internal import JSON
internal import KeyedState
internal import Lifecycle
internal import Records
internal import ServiceKit

/// `sluicectl topics acls`: prints the permissions that the executables require, without contacting a broker.
struct AclsCommand {
    let configuration: Configuration
    let access: SluicectlParts.Access

    func run(_ console: Console) async throws -> ExitCode {
        let format = configuration[AccessSettings.format]
        let output = configuration[OperationsSettings.output]
        guard output == .text || format == .text else {
            throw StartupError(
                "--output json and --format \(format.rawValue) are mutually exclusive", fix: "Pass only one of them",
                exitCode: .usage)
        }
        await console.write(
            configuration, text: text(format), json: [OutputName.grants: .array(grants.map { .object($0.json) })])
        return .ok
    }

    private func text(_ format: AccessFormat) -> String {
        switch format {
        case .text: grants.map(\.text).joined(separator: "\n")
        case .kafkaAcls:
            grants.map { $0.commands(bootstrapServers: configuration[ApplicationSettings.bootstrapServers]) }
                .joined(separator: "\n")
        case .strimzi: grants.map(\.strimzi).joined(separator: "---\n")
        }
    }

    private var grants: [AccessGrant] {
        let executables = AccessTable.Executable(rawValue: configuration[AccessSettings.executable]).map { [$0] }
        return AccessGrant.grants(
            to: executables ?? AccessTable.Executable.allCases, as: configuration[AccessSettings.principal], table)
    }

    /// The settings that determine the permissions, in addition to the Kafka settings.
    static func schema(_ access: SluicectlParts.Access) -> ConfigurationSchema {
        ConfigurationSchema([StateSettings.role] + OperationsSettings.clusterGroups.map(\.setting))
            .adding(access.schema)
    }

    var table: AccessTable {
        var groups: [AccessTable.Executable: String] = [:]
        for (name, setting) in OperationsSettings.clusterGroups {
            guard let executable = AccessTable.Executable(rawValue: name) else { continue }
            groups[executable] = configuration[setting]
        }
        groups[.ingress] = configuration.prefixed(ApplicationSettings.kafka.prefix)["client.id"]
        return AccessTable(
            names: TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]), groups: groups,
            isReader: configuration[StateSettings.role] == .reader, options: access.options(configuration))
    }
}
