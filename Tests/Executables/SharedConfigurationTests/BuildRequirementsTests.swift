import Foundation
import TestSupport
import Testing

/// The system requirements of a build, and the errors when they are not met.
@Suite(.timeLimit(.minutes(2))) struct BuildRequirementsTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// Runs `deploy/install-deps` on a system with this version of librdkafka, before and after the installation.
    private func install(found version: String) async throws -> (end: ProcessEnd, output: String) {
        let directory = try TemporaryDirectory()
        let stubs = [
            "swift": "exit 0", "apt-get": "exit 0", "id": "echo 0",
            // Stands in for pkg-config; implements only the version comparison.
            "pkg-config": """
            for argument in "$@"; do
                case "$argument" in
                --modversion) echo \(version); exit 0 ;;
                "rdkafka >= "*) [ "$(printf '%s\\n' "${argument##* }" \(version) | sort -V | head -n 1)" = \
            "${argument##* }" ] || exit 1 ;;
                esac
            done
            """,
        ]
        for (name, script) in stubs {
            let path = try directory.write("#!/bin/sh\n\(script)\n", to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let (end, process) = try await ChildProcess.run(
            "install-deps", ["bash", Self.root.appending(path: "deploy/install-deps").path],
            environment: ["PATH": "\(directory.path):/usr/bin:/bin"], directory: directory.path, within: .seconds(20))
        return (end, process.output + process.errors)
    }

    @Test(arguments: ["1.8.0", "1.9.2", "2.0.1"])
    func `the error for an older librdkafka names the required version`(version: String) async throws {
        let (end, output) = try await install(found: version)
        #expect(end == .exit(1))
        #expect(output.contains("librdkafka 2.0.2 or later is required, and this system has: \(version)."), "\(output)")
    }

    @Test(arguments: ["2.0.2", "2.8.0", "2.12.1"])
    func `a recent librdkafka needs no installation`(version: String) async throws {
        let (end, output) = try await install(found: version)
        #expect(end == .exit(0) && output.isEmpty, "\(output)")
    }

    @Test(arguments: [("0x010800ff", false), ("0x020001ff", false), ("0x020002ff", true), ("0x020800ff", true)])
    func `the compiler rejects the header of an older librdkafka`(version: String, isRecent: Bool) async throws {
        let directory = try TemporaryDirectory()
        let include = directory.file("librdkafka")
        try FileManager.default.createDirectory(atPath: include, withIntermediateDirectories: true)
        try Data("#define RD_KAFKA_VERSION \(version)\n".utf8).write(to: URL(filePath: include + "/rdkafka.h"))
        // The version check comes before any other use of the header.
        let (_, compiler) = try await ChildProcess.run(
            "clang",
            [
                "clang", "-fsyntax-only", "-x", "c", "-I", directory.path,
                Self.root.appending(path: "Sources/Platform/CRdKafka/shim.h").path,
            ], directory: directory.path, within: .seconds(20))
        #expect(compiler.errors.contains("librdkafka 2.0.2 or later is required") == !isRecent, "\(compiler.errors)")
    }
}
