import Archive
import CommandLine
import Configuration
import Foundation
import Ingress
import PipelineRuntime
import SharedConfiguration
import TestSupport
import Testing

@testable import Entitlements
@testable import Reconciler
@testable import Refunds
@testable import Webhooks

/// Two executables in one consumer group would each read only some of the records that both need.
@Suite struct GroupSettingsTests {
    private static let commands = [
        "archive": ArchiveApplication.application.command, "entitlements": EntitlementsApplication.application.command,
        "reconciler": ReconcilerApplication.application.command, "refunds": RefundsApplication.application.command,
        "webhooks": WebhooksApplication.application.command, "ingress": IngressApplication.command,
    ].mapValues { $0.tolerating(SharedConfiguration.keys) }

    @Test(arguments: ["group.id", "group.instance.id"], commands.keys.sorted())
    func `a group shared by all executables is refused wherever it is set`(key: String, name: String) throws {
        let command = try #require(Self.commands[name])
        let directory = try TemporaryDirectory()
        let file = try directory.write("kafka.\(key)=shared\n", to: "sluice.properties")
        let variable = "SLUICE_KAFKA_" + key.uppercased().replacing(".", with: "_")
        for outcome in [
            command.parse(["--config", file], environment: [:]), command.parse([], environment: [variable: "shared"]),
            command.parse(["--kafka.\(key)", "shared"], environment: [:]),
        ] {
            guard case .refuse(let lines, 78) = outcome else {
                Issue.record("\(name) accepts kafka.\(key)")
                continue
            }
            #expect(lines.contains { $0.contains("kafka.\(key)") && $0.contains("entitlements.\(key)") }, "\(lines)")
        }
    }

    @Test(arguments: commands.keys.filter { $0 != "ingress" }.sorted())
    func `each executable uses its own group and no other`(name: String) throws {
        let command = try #require(Self.commands[name])
        let shared = Self.commands.keys.filter { $0 != "ingress" }.map { "\($0).group.id=group-of-\($0)\n" }.joined()
        let directory = try TemporaryDirectory()
        let file = try directory.write(shared + Self.required(directory), to: "sluice.properties")
        let outcome = command.parse(["--config", file], environment: [:])
        guard case .run(let invocation) = outcome else {
            Issue.record("\(name): \(outcome)")
            return
        }
        #expect(invocation.configuration[ConsumerSettings.group(of: "sluice-\(name)")] == "group-of-\(name)")
    }

    @Test func `the default group is the name of the executable`() {
        #expect(ConsumerSettings.group(of: "sluice-refunds").key == "refunds.group.id")
        #expect(ConsumerSettings.group(of: "sluice-refunds").descriptor.defaultText == "sluice-refunds")
        #expect(ConsumerSettings.group(of: "inbox").key == "inbox.group.id")
        #expect(ConsumerSettings.groupInstanceId(of: "sluice-refunds").key == "refunds.group.instance.id")
    }

    /// Settings that at least one of the executables requires.
    private static func required(_ directory: TemporaryDirectory) throws -> String {
        let secret = try directory.write("whsec_\(Data(repeating: 1, count: 32).base64EncodedString())\n", to: "secret")
        return """
            apps=com.example.app:1
            webhooks.url=https://example.com
            webhooks.secret.file=\(secret)
            archive.url=\(directory.path)
            archive.origin=example.com/archive
            archive.key.store=\(directory.path)/keys.sqlite
            archive.signing.key.file=\(secret)
            archive.key.encryption.key.file=\(secret)
            appstore.api.issuer.id=00000000-0000-0000-0000-000000000000
            appstore.api.key.id=ABCDEFGHIJ
            appstore.api.key.file=\(secret)

            """
    }
}
