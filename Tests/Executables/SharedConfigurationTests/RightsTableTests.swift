import Archive
import CommandLine
import Configuration
import Entitlements
import Foundation
import Reconciler
import Synchronization
import Testing
import Webhooks

@testable import Sluicectl

/// The permissions in the manual must equal the output of `sluicectl topics acls`.
@Suite struct RightsTableTests {
    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: deploy.appending(path: path), encoding: .utf8)
    }

    private static func acls(_ arguments: [String]) async -> String { await topics(["acls"] + arguments) }

    /// Returns the output of `sluicectl topics`.
    static func topics(_ arguments: [String]) async -> String {
        let parts = SluicectlParts(
            executables: [],
            verification: SluicectlParts.Verification(
                schema: ConfigurationSchema(), roots: { _ throws(ConfigurationError) in [] },
                apps: { _ throws(ConfigurationError) in [] }),
            access: SluicectlParts.Access(
                schema: ConfigurationSchema(
                    WebhooksSettings.topicSettings + ArchiveSettings.topicSettings + [EntitlementsSettings.stories]),
                options: { configuration in
                    AccessOptions(
                        webhookReceivers: WebhooksSettings.reading(configuration).map {
                            AccessOptions.WebhookReceiver(group: $0.group, inputs: $0.topics, rebuilds: $0.rebuilds)
                        },
                        archived: ArchiveSettings.archivedTopics(configuration),
                        anchorsInKafka: configuration[ArchiveSettings.anchorKafka],
                        repairsStatuses: true, tellsStories: configuration[EntitlementsSettings.stories],
                        publishesOperatorEvents: false)
                }))
        let output = Mutex("")
        let console = Console(
            output: { bytes in
                output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                return true
            }, complaint: { Issue.record("\($0)") })
        let code = await Sluicectl(parts, console: console).run(["topics"] + arguments, environment: [:])
        #expect(code == 0)
        return output.withLock { $0 }
    }

    @Test(arguments: AccessTable.Executable.allCases.map(\.rawValue))
    func `the page on access rights shows the printed commands of each executable`(
        _ executable: String
    ) async throws {
        let page = try Self.text("acls.md")
        let section = try #require(page.components(separatedBy: "\n## \(executable)\n").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```\n").dropFirst().first)
        let commands = await Self.acls([
            "--for", executable, "--format", "kafka-acls", "--kafka.bootstrap.servers", "kafka-1:9092",
        ])
        #expect(block == commands)
    }

    @Test func `the page of rights shows the commands with stories`() async throws {
        let page = try Self.text("acls.md")
        let section = try #require(
            page.components(separatedBy: "\n## sluice-entitlements with stories\n").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```\n").dropFirst().first)
        let commands = await Self.acls([
            "--for", "sluice-entitlements", "--entitlements.stories", "true", "--format", "kafka-acls",
            "--kafka.bootstrap.servers", "kafka-1:9092",
        ])
        #expect(block == commands)
    }

    // MARK: The manual's table

    /// A row of the table, with the names as written; `*` stands for both environments.
    private struct Row {
        let executable: String
        let isReader: Bool
        let operations: [String: Set<String>]
    }

    private static func names(in cell: String) -> Set<String> {
        let names = cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return Set(
            names.flatMap { name in
                name.contains("*") ? ["production", "sandbox"].map { name.replacing("*", with: $0) } : [name]
            })
    }

    private static func rows() throws -> [Row] {
        let manual = try text("README.md")
        let section = try #require(manual.components(separatedBy: "### Rights of the principals\n").dropFirst().first)
        let table = section.components(separatedBy: "\n### ").first ?? ""
        return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            let operations = zip(["Read", "Write", "Describe", "DescribeConfigs", "group"], cells.dropFirst())
            return Row(
                executable: names(in: cells[0]).first ?? "", isReader: cells[0].contains("reader"),
                operations: Dictionary(uniqueKeysWithValues: operations.map { ($0, names(in: $1)) }))
        }
    }

    @Test func `the manual's table lists the rights of each executable`() async throws {
        let rows = try Self.rows()
        #expect(Set(rows.map(\.executable)) == Set(AccessTable.Executable.allCases.map(\.rawValue)))
        #expect(rows.count == AccessTable.Executable.allCases.count + 1)
        for row in rows {
            let role = row.isReader ? ["--state.role", "reader"] : []
            let lines = await Self.acls(["--for", row.executable] + role).split(separator: "\n").dropFirst()
            var printed: [String: Set<String>] = [:]
            for line in lines {
                let words = line.split { " ,".contains($0) }.map(String.init)
                for operation in words.dropFirst(2) {
                    let kind = words[0] == "group" ? "group" : operation
                    printed[kind, default: []].insert(words[0] == "group" ? "\(operation) \(words[1])" : words[1])
                }
            }
            for operation in ["Read", "Write", "Describe", "DescribeConfigs", "group"] {
                #expect(
                    row.operations[operation] == printed[operation] ?? [],
                    "\(row.executable) \(row.isReader ? "reader" : ""): \(operation)")
            }
        }
    }
}
