import Foundation
import Sluicectl
import Testing

@testable import Refunds
@testable import Webhooks

/// The versions in the format table of `deploy/upgrade/README.md` must equal those in the code and in the published
/// schemas.
@Suite struct StoredFormatTableTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy").standardized

    /// The first cell and the version of each row with a version.
    private static func rows() throws -> [(cell: String, version: Int)] {
        let page = try String(contentsOf: folder.appending(path: "upgrade/README.md"), encoding: .utf8)
        let table = try #require(page.split(separator: "## Formats").last)
        return table.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 5, let version = Int(cells[2]) else { return nil }
            return (cells[0], version)
        }
    }

    private static var versions: [(name: String, version: Int)] {
        StoredFormats.versions + [
            ("preferences database", PreferenceStore.migrations.count),
            ("webhook failures", Int(FailuresFile.formatVersion)),
        ]
    }

    /// The file and the version in the `$id` of each published schema.
    private static func schemas() throws -> [(file: String, version: Int)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".schema.json") }.map {
            let text = try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
            let id = try #require(text.firstMatch(of: /"\$id": "urn:sluice:[a-z-]+:(\d+)"/), "\($0)")
            return ($0, try #require(Int(id.1)))
        }
    }

    @Test func `the table lists the versions that the code writes`() throws {
        let rows = try Self.rows()
        for (name, version) in Self.versions {
            let named = rows.filter { $0.cell == name || $0.cell.hasSuffix(", \(name)") }
            #expect(named.map(\.version) == [version], "\(name)")
        }
    }

    @Test func `the table lists the versions of the published schemas`() throws {
        let rows = try Self.rows()
        let schemas = try Self.schemas()
        #expect(schemas.count >= 8)
        for (file, version) in schemas {
            #expect(rows.filter { $0.cell.contains("(../\(file))") }.map(\.version) == [version], "\(file)")
        }
    }

    @Test func `every version in the table belongs to a schema or to the code`() throws {
        let names = Set(Self.versions.map(\.name))
        let unknown = try Self.rows().map(\.cell).filter { cell in
            !cell.contains(".schema.json)") && !names.contains(cell)
        }
        #expect(unknown.isEmpty)
    }
}
