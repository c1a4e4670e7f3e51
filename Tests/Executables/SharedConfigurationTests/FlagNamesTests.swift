import Archive
import CommandLine
import Configuration
import PipelineRuntime
import Testing

@testable import Entitlements
@testable import Ingress
@testable import Reconciler
@testable import Refunds
@testable import Simulator
@testable import Sluicectl
@testable import Webhooks

/// One name for one flag, in all commands of all executables.
@Suite struct FlagNamesTests {
    private struct Flag {
        let command: String
        let setting: SettingDescriptor
    }

    private static let parts = SluicectlParts(
        executables: [],
        verification: SluicectlParts.Verification(
            schema: ConfigurationSchema(), roots: { _ throws(ConfigurationError) in [] },
            apps: { _ throws(ConfigurationError) in [] }),
        webhooks: SluicectlParts.Webhooks(
            schema: WebhooksSettings.schema, test: { _ in throw CancellationError() },
            resend: { _, _, _ in throw CancellationError() },
            resendFailed: { _, _, _, _, _, _ in throw CancellationError() }),
        access: SluicectlParts.Access(
            schema: ConfigurationSchema(),
            options: { _ in
                AccessOptions(
                    webhookReceivers: [], archived: [], anchorsInKafka: false, repairsStatuses: false,
                    tellsStories: false, publishesOperatorEvents: false)
            }),
        entitlements: SluicectlParts.Entitlements(
            schema: EntitlementsStory.schema,
            model: { configuration throws(ConfigurationError) in try EntitlementsStory.model(configuration) }))

    private static let roots = [
        SluicectlCommand.command(parts), SimulatorCommand.command, IngressApplication.command,
        ArchiveApplication.application.command, EntitlementsApplication.application.command,
        ReconcilerApplication.application.command, RefundsApplication.application.command,
        WebhooksApplication.application.command,
    ]

    private static func paths(_ command: Command, below parents: [String] = []) -> [[String]] {
        let path = parents + [command.name]
        return [path] + command.subcommands.flatMap { paths($0, below: path) }
    }

    private static func listFlags(_ command: Command, below parents: String = "") -> [Flag] {
        let path = parents + command.name
        return command.schema.settings.filter(\.isCommandLineOnly).map { Flag(command: path, setting: $0) }
            + command.subcommands.flatMap { listFlags($0, below: path + " ") }
    }

    private static let flags = roots.flatMap { listFlags($0) }

    @Test(arguments: ["bundle", "since", "until", "count"])
    func `no help mentions a deprecated name`(_ name: String) throws {
        var commands = 0
        for root in Self.roots {
            for path in Self.paths(root) {
                guard case .show(let help) = root.parse(path.dropFirst() + ["--help"], environment: [:]) else {
                    Issue.record("no help of \(path)")
                    continue
                }
                commands += 1
                #expect(
                    help.firstMatch(of: try Regex("--\(name)(?![a-z-])")) == nil, "\(path.joined(separator: " "))")
            }
        }
        #expect(commands > 80)
    }

    /// `--format` names the formats of one command's output, such as `csv` or `strimzi`.
    @Test func `a flag has the same kind of value in all commands`() {
        #expect(Self.flags.count > 400)
        for (name, uses) in Dictionary(grouping: Self.flags, by: \.setting.key) where name != "format" {
            let kinds = Dictionary(grouping: uses) { $0.setting.isFlag ? "no value" : $0.setting.valueName }
            #expect(kinds.count == 1, "--\(name): \(kinds.mapValues { $0.map(\.command) })")
        }
    }

    @Test(arguments: [
        ("from", "TIME", "at or after this time|from this time on"), ("to", "TIME", "before this time"),
        ("limit", "INTEGER", "[Mm]aximum number|Stop after|per page"),
        ("app", "TEXT", "[Aa]pp\\b"), ("after", "PARTITION-OFFSET", "after this position"),
        ("environment", "production|sandbox", "environment|Environment"), ("at", "TIME", "this time"),
    ])
    func `a shared name has one meaning`(_ name: String, _ value: String, _ meaning: String) throws {
        let uses = Self.flags.filter { $0.setting.key == name }
        #expect(uses.count > 2)
        for use in uses {
            #expect(use.setting.valueName == value, "\(use.command)")
            #expect(
                use.setting.help.firstMatch(of: try Regex(meaning)) != nil, "\(use.command): \(use.setting.help)")
        }
    }
}
