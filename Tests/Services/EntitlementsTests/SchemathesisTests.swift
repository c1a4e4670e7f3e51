import AppStoreModel
import Foundation
import HTTPClient
import Lifecycle
import TestSupport
import Testing

@testable import Entitlements

/// Schemathesis (PyPI), an independent client that uses only the API's document. It generates valid and invalid
/// requests, and checks the responses.
@Suite(.timeLimit(.minutes(10))) struct SchemathesisTests {
    private static let program = find()

    /// Returns the program named by `SLUICE_TEST_SCHEMATHESIS`, or the one in PATH.
    private static func find() -> String? {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["SLUICE_TEST_SCHEMATHESIS"] { return path }
        return (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/schemathesis" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The checks of each response. Other tests cover the rejection of invalid requests, because a parameter schema
    /// cannot express that exactly one subject is required.
    private static let checks = [
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
        "response_schema_conformance",
    ]

    @Test(
        .enabled(
            if: program != nil, "no Schemathesis: pip install schemathesis, SLUICE_TEST_SCHEMATHESIS=…/schemathesis"))
    func `no request causes a server error or an undocumented response`() async throws {
        let installation = try await Installation("schemathesis")
        let directory = try TemporaryDirectory()
        let reader = String(repeating: "r", count: 24)
        let keys = try directory.write("test full \(reader)\n", to: "keys")
        let production = installation.notifications(.production)
        try await installation.write(lifeOfOne(purchase: "1000").map { $0.produced(in: production) })
        let service = try await RunningEntitlements(
            installation.configuration(
                data: directory.path, ["--http.keys.file", keys, "--apps", "com.example:1", "--revocation", "off"]))
        try await service.finish(4)
        let url = "http://127.0.0.1:\(service.port)"
        let (status, output) = try await Self.run([
            "run", "\(url)/v1/openapi.json", "--url", url, "--header", "Authorization: Bearer \(reader)",
            "--checks", Self.checks.joined(separator: ","), "--seed", "1", "--max-examples", "40",
            "--no-color", "--generation-database", "none",
        ])
        #expect(status == 0, "\(output.suffix(8000))")
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    private static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "")
        process.arguments = arguments
        let directory = try TemporaryDirectory()
        let path = try directory.write("", to: "output")
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        process.standardOutput = output
        process.standardError = output
        process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        return (process.terminationStatus, text)
    }
}
