import Foundation
import SharedConfiguration
import Testing

/// The manual, `deploy/README.md`, must list every setting and every metric.
@Suite struct ManualNamesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    private static func manual() throws -> String {
        try String(contentsOf: root.appending(path: "deploy/README.md"), encoding: .utf8)
    }

    /// Returns the files in which each module lists the names of its metrics.
    private static func namesFiles() throws -> String {
        let folder = root.appending(path: "Sources").path
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix("Names.swift") }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }.joined()
    }

    /// The manual documents these settings by a pattern: by their variables, as the settings of one receiver, as those
    /// of the archive's bucket, or by an example of another executable.
    private static func isDocumentedByPattern(_ key: String) -> Bool {
        key.hasPrefix("otel.") || key.hasPrefix("webhooks.receivers.<receiver>.")
            || key.hasPrefix("archive.anchor.s3.") || key.hasSuffix(".group.instance.id")
    }

    @Test func `the manual lists each setting`() throws {
        let manual = try Self.manual()
        for key in SharedConfiguration.keys where !Self.isDocumentedByPattern(key) {
            // A key that ends with a dot is a prefix.
            #expect(manual.contains(key.hasSuffix(".") ? "`\(key)*`" : "`\(key)`"), "\(key)")
        }
    }

    @Test func `the manual lists each metric`() throws {
        let manual = try Self.manual()
        let names = try Self.namesFiles().matches(of: /"(sluice_[a-z_]+)"/).map { String($0.output.1) }
        #expect(names.count > 100)
        for name in names {
            #expect(manual.contains("`\(name)`") || manual.contains("`\(name){"), "\(name)")
        }
    }
}
