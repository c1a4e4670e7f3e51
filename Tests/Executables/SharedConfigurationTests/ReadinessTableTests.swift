import Foundation
import Testing

/// The manual's table of readiness conditions: its lines must match the code, and its alerts must exist.
@Suite struct ReadinessTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    private struct Row {
        let line: String
        let alert: String
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func rows() throws -> [Row] {
        let manual = try text("deploy/README.md")
        let section = try #require(manual.split(separator: "### When a member is ready\n").dropFirst().first)
        let table = section.split(separator: "\n\n## ").first ?? ""
        return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).compactMap { row in
            let columns = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard columns.count == 4, let line = columns[0].split(separator: "`").last else { return nil }
            return Row(line: String(line), alert: columns[3])
        }
    }

    /// Returns all sources without comments: a comment may quote a line that the code does not print.
    private static func sources() throws -> String {
        let folder = root.appending(path: "Sources").path
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }.joined().split(separator: "\n").filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
            .joined(separator: "\n")
    }

    @Test func `each line is printed by an executable, and each alert exists`() throws {
        let rows = try Self.rows()
        #expect(rows.count >= 11)
        let sources = try Self.sources()
        let alerts = try Self.text("deploy/alerts.yml")
        for row in rows {
            #expect(sources.contains(row.line), "\(row.line)")
            #expect(alerts.contains("- alert: \(row.alert)\n"), "\(row.line): \(row.alert)")
        }
    }
}
