import Foundation
import Testing

/// The files from which the Helm chart makes Strimzi's objects: what `sluicectl` prints for the defaults.
@Suite struct ChartFilesTests {
    private static let files = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy/chart/files").standardized

    @Test(arguments: [
        ("topics.json", ["list"]), ("acls.json", ["acls"]),
        ("acls-reader.json", ["acls", "--for", "sluice-entitlements", "--state.role", "reader"]),
    ])
    func `a file of the chart is what sluicectl prints`(_ file: String, _ arguments: [String]) async throws {
        let text = try String(contentsOf: Self.files.appending(path: file), encoding: .utf8)
        let printed = await RightsTableTests.topics(arguments + ["--output", "json"])
        #expect(text == printed, "run deploy/chart/generate")
    }
}
