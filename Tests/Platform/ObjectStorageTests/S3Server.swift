import Configuration
import Foundation
import HTTPClient
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing

private struct ServerProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A running S3 server for the tests.
struct S3Server: Sendable {
    let url: String

    /// Starts `moto_server`.
    static func moto(_ program: String) async throws -> S3Server {
        let process = try start("moto", [program, "-H", "127.0.0.1", "-p", "0"])
        var url: String?
        try await wait(for: process) {
            url = address(in: process.errors) ?? address(in: process.output)
            return url != nil
        }
        return S3Server(url: try #require(url))
    }

    private static func address(in output: String) -> String? {
        guard let start = output.range(of: "Running on http://"), output[start.upperBound...].contains("\n") else {
            return nil
        }
        return "http://" + output[start.upperBound...].prefix { $0.isNumber || $0 == "." || $0 == ":" }
    }

    /// Starts all components of SeaweedFS in one process, reachable only from this machine.
    static func seaweedFS(_ program: String) async throws -> S3Server {
        let directory = "\(ProcessCleanup.shared.directory)/seaweedfs"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let keys = """
            {"identities":[{"name":"test","credentials":[{"accessKey":"test","secretKey":"test"}],"actions":["Admin"]}]}
            """
        try keys.write(toFile: "\(directory)/keys.json", atomically: true, encoding: .utf8)
        let port = try freePort()
        let ports = try ["master", "volume", "filer"].flatMap { part in
            ["-\(part).port=\(try freePort())", "-\(part).port.grpc=\(try freePort())"]
        }
        let process = try start(
            "seaweedfs",
            [
                program, "server", "-dir=\(directory)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
                "-s3.ip.bind=127.0.0.1", "-s3.port=\(port)", "-s3.port.grpc=\(try freePort())", "-s3.port.iceberg=0",
                "-s3.port.lance=0", "-s3.config=\(directory)/keys.json", "-s3.autoCreateBucket=false",
                "-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-volume.max=300",
            ] + ports)
        let server = S3Server(url: "http://127.0.0.1:\(port)")
        // The components find one another only after the listener is open.
        try await wait(for: process) {
            guard let store = try? await server.store() else { return false }
            return (try? await store.create(ObjectName("ready"), [1])) != nil
        }
        return server
    }

    private static func start(_ name: String, _ command: [String]) throws -> ChildProcess {
        try ChildProcess(
            name, command, environment: ProcessInfo.processInfo.environment,
            directory: ProcessCleanup.shared.directory)
    }

    private static func wait(for process: ChildProcess, _ condition: () async throws -> Bool) async throws {
        try await waitUntil(within: .seconds(60)) {
            guard process.ended == nil else { throw ServerProblem("\(process)") }
            return try await condition()
        }
    }

    /// Creates a bucket for one test.
    func makeBucket() async throws -> String {
        let bucket = "sluice-\(UUID().uuidString.lowercased())"
        let signature = RequestSignature(credentials: Self.credentials, region: "us-east-1")
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let host = String(url.dropFirst("http://".count))
        let headers = try signature.headers(
            for: .init(method: "PUT", path: "/\(bucket)", headers: [("host", host)], bodyDigest: empty),
            now: Int64(Date().timeIntervalSince1970 * 1000))
        let response = try await HTTPClient().send(
            HTTPClientRequest(method: "PUT", url: "\(url)/\(bucket)", headers: headers, body: []))
        guard response.status == 200 else {
            throw ServerProblem("no bucket: \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return bucket
    }

    func store(
        in bucket: String? = nil, faults: Double = 0, _ configure: (inout S3Configuration) -> Void = { _ in }
    ) async throws -> S3Store {
        let name: String
        if let bucket { name = bucket } else { name = try await makeBucket() }
        var configuration = try S3Configuration(
            endpoint: url, region: "us-east-1", bucket: name, prefix: try ObjectName("archive/test"))
        configuration.attempts = 40
        configuration.requestTimeout = .seconds(30).scaled
        configure(&configuration)
        let client = HTTPClient()
        let transport = FaultyTransport(faults, seed: 1) { request throws(HTTPClientError) in
            try await client.send(request)
        }
        return S3Store(
            configuration,
            S3Client.Surroundings(
                send: { request throws(HTTPClientError) in try await transport.send(request) },
                credentials: { Self.credentials }, sleep: { _ in await Task.yield() }))
    }

    private static let credentials = S3Credentials(
        accessKeyId: "test", secretAccessKey: Secret(Array("test".utf8)))
}
