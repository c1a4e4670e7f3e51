import Archive
import CommandLine
import Configuration
import PipelineRuntime
import SharedConfiguration
import Testing

@testable import Entitlements
@testable import Ingress
@testable import Reconciler
@testable import Refunds
@testable import Simulator
@testable import Sluicectl
@testable import Webhooks

@Suite struct SharedConfigurationTests {
    /// The keys shared by a command and its subcommands. `config` reads the settings of the other commands.
    private func keys(of command: Command) -> [String] {
        command.schema.sharedKeys.filter { !$0.isEmpty } + command.subcommands.flatMap(keys)
    }

    @Test func `the shared keys are exactly those that the executables read`() {
        let parts = SluicectlParts(
            executables: [],
            verification: SluicectlParts.Verification(
                schema: ConfigurationSchema(), roots: { _ throws(ConfigurationError) in [] },
                apps: { _ throws(ConfigurationError) in [] }),
            webhooks: SluicectlParts.Webhooks(
                schema: WebhooksSettings.schema, test: { _ in throw CancellationError() },
                resend: { _, _, _ in throw CancellationError() },
                resendFailed: { _, _, _, _, _, _ in throw CancellationError() }))
        let read = Set(
            [
                ArchiveApplication.application.command, IngressApplication.command,
                EntitlementsApplication.application.command,
                ReconcilerApplication.application.command, RefundsApplication.application.command,
                WebhooksApplication.application.command,
                SimulatorCommand.command, SluicectlCommand.command(parts),
            ].flatMap(keys))
        let prefixes = read.filter { $0.hasSuffix(".") }
        let expected = read.filter { key in prefixes.allSatisfy { key == $0 || !key.hasPrefix($0) } }
        #expect(SharedConfiguration.keys == expected.sorted())
    }

    @Test func `a key of another executable is ignored, and a misspelled key is refused with a suggestion`() throws {
        let command = EntitlementsApplication.application.tolerating(SharedConfiguration.keys).command
        guard case .run = command.parse([], environment: ["SLUICE_WEBHOOKS_TIMEOUT": "5s"]) else {
            Issue.record("a setting of sluice-webhooks was refused")
            return
        }
        guard case .refuse(let lines, 78) = command.parse([], environment: ["SLUICE_WEBHOOKS_TIMOUT": "5s"]) else {
            Issue.record("an invalid key was accepted")
            return
        }
        #expect(lines.contains { $0.contains("SLUICE_WEBHOOKS_TIMOUT") })
    }
}
