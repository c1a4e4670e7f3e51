import Foundation
import Telemetry
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

    @Test(arguments: [
        ("chart/Chart.yaml", "appVersion: \"VERSION\"\n"), ("compose.yaml", "${SLUICE_IMAGE:-sluice:VERSION}"),
        ("compose/embedded.yaml", "${SLUICE_IMAGE:-sluice:VERSION}"),
        ("kustomize/base/deployment-sluice-ingress.yaml", "image: sluice:VERSION\n"),
    ])
    func `the image has the version of the executables`(_ file: String, _ part: String) throws {
        let folder = Self.files.appending(path: "../..").standardized
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        #expect(text.contains(part.replacing("VERSION", with: Build.version)), "\(file)")
    }
}
