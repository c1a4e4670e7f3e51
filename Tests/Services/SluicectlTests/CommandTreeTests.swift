import CommandLine
import Foundation
import Testing

@testable import Sluicectl

/// The declarations of all commands.
@Suite struct CommandTreeTests {
    private struct Leaf {
        let path: [String]
        let command: Command
    }

    private static func listLeaves(_ command: Command, below parents: [String] = []) -> [Leaf] {
        let path = parents + [command.name]
        return command.subcommands.isEmpty
            ? [Leaf(path: path, command: command)] : command.subcommands.flatMap { listLeaves($0, below: path) }
    }

    private static let root = SluicectlCommand.command(testParts)
    private static let leaves = listLeaves(root)

    @Test func `every command without subcommands has an action`() {
        #expect(Self.leaves.count > 60)
        for leaf in Self.leaves { #expect(leaf.command.action != nil, "\(leaf.path)") }
    }

    @Test func `every example calls its own command, with flags that the help lists`() {
        for leaf in Self.leaves {
            guard case .show(let help) = Self.root.parse(leaf.path.dropFirst() + ["--help"], environment: [:]) else {
                Issue.record("no help of \(leaf.path)")
                continue
            }
            #expect(!leaf.command.examples.isEmpty, "\(leaf.path)")
            for example in leaf.command.examples {
                let own = example.commandLine.split(separator: "|").first { $0.contains("sluicectl") } ?? ""
                #expect(own.contains(leaf.path.joined(separator: " ")), "\(example.commandLine)")
                for flag in own.split(separator: " ") where flag.hasPrefix("--") {
                    #expect(help.contains(flag.dropFirst(2)), "\(example.commandLine)")
                }
            }
        }
    }

    @Test func `the manual's table lists every command with its subcommands`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../deploy/README.md").standardized, encoding: .utf8)
        let section = try #require(page.split(separator: "\n## Commands of sluicectl\n").dropFirst().first)
        let rows = section.prefix(upTo: section.firstRange(of: "\n## ")?.lowerBound ?? section.endIndex)
            .split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) } }
        let expected = Self.root.subcommands.map { command in
            let below = command.subcommands.flatMap { Self.listLeaves($0, below: []) }
            return ["`\(command.name)`", below.map { "`\($0.path.joined(separator: " "))`" }.joined(separator: ", ")]
        }
        #expect(rows == expected)
    }
}
