import Foundation
import Telemetry
import Testing

/// The chart's files for Strimzi objects must equal the output of `sluicectl` with default settings.
@Suite struct ChartFilesTests {
    private static let files = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy/chart/files").standardized

    @Test(arguments: [
        ("topics.json", ["list"]), ("acls.json", ["acls"]),
        ("acls-reader.json", ["acls", "--for", "sluice-entitlements", "--state.role", "reader"]),
        ("acls-stories.json", ["acls", "--for", "sluice-entitlements", "--entitlements.stories", "true"]),
        (
            "acls-reader-stories.json",
            ["acls", "--for", "sluice-entitlements", "--entitlements.stories", "true", "--state.role", "reader"]
        ),
    ])
    func `a file of the chart equals the output of sluicectl`(_ file: String, _ arguments: [String]) async throws {
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

    @Test func `all images and packages are named with the version of the executables`() throws {
        let deploy = Self.files.appending(path: "../..").standardized
        let names = try #require(FileManager.default.enumerator(atPath: deploy.path)).compactMap { $0 as? String }
            .filter { $0 != "CHANGELOG.md" && !$0.hasPrefix("upgrade/") }
        var versions: [String: Set<String>] = [:]
        for file in names.map({ deploy.appending(path: $0) }) + [deploy.appending(path: "../README.md")] {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for match in text.matches(of: /sluice(?:\.oci)?[:_](\d+\.\d+\.\d+)/) {
                versions[String(match.1), default: []].insert(file.lastPathComponent)
            }
        }
        #expect((versions[Build.version]?.count ?? 0) > 10)
        #expect(versions.filter { $0.key != Build.version }.isEmpty, "run deploy/version set \(Build.version)")
    }

    @Test func `the change log starts with the version of the executables`() throws {
        let file = Self.files.appending(path: "../../CHANGELOG.md").standardized
        let releases = try String(contentsOf: file, encoding: .utf8).matches(of: /(?m)^## (\d+\.\d+\.\d+)/)
        #expect(releases.first.map { String($0.1) } == Build.version)
    }
}
