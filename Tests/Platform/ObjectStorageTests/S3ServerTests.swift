import Configuration
import Foundation
import HTTPClient
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing

/// The S3 store over HTTP with a third-party server: moto (PyPI), or the server at `SLUICE_TEST_S3_ENDPOINT`, which
/// must accept the key `test` with the secret `test`.
@Suite(.enabled(if: S3Server.isAvailable, S3Server.reason), .serialized, .timeLimit(.minutes(10)))
struct S3ServerTests {
    /// moto evaluates a condition and writes in two steps, so that several writers may succeed; `S3StoreTests` runs
    /// these parts with an atomic bucket.
    private static let parts = ObjectStoreContract.allCases.filter {
        S3Server.endpoint != nil || ($0 != .oneOfManyCreatesIt && $0 != .oneOfManyExchangesIt)
    }

    @Test(arguments: parts)
    func `satisfies the contract of stores`(_ part: ObjectStoreContract) async throws {
        let server = try await S3Server.shared.running()
        try await part.check(try await server.store(), seed: UInt64.random(in: 0...UInt64.max))
    }

    @Test(arguments: parts)
    func `satisfies the contract of stores while 30 % of all requests fail`(_ part: ObjectStoreContract) async throws {
        let server = try await S3Server.shared.running()
        try await part.check(try await server.store(faults: 0.3), seed: UInt64.random(in: 0...UInt64.max))
    }

    @Test func `objects larger than the part size are uploaded in parts`() async throws {
        let server = try await S3Server.shared.running()
        let store = try await server.store { $0.partBytes = 5 * 1024 * 1024 }
        let name = try ObjectName("large")
        var generator = SeededGenerator(seed: 5)
        let bytes = (0..<(12 * 1024 * 1024 / 8)).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        try await store.create(name, bytes)
        let stored = try #require(try await store.read(name))
        #expect(stored.bytes == bytes)
        let error = await #expect(throws: ObjectStoreError.self) { try await store.create(name, bytes.reversed()) }
        #expect(error?.code == .exists)
        let small = try await store.replace(name, [1], expected: stored.version)
        #expect(try await store.read(name) == StoredObject(bytes: [1], version: small))
    }

    @Test func `a second writer is refused`() async throws {
        let server = try await S3Server.shared.running()
        let bucket = try await server.makeBucket()
        let first = try await server.store(in: bucket)
        let second = try await server.store(in: bucket)
        let name = try ObjectName("orders/0/checkpoint")
        _ = try await first.lock(try ObjectName("orders/0"))
        _ = try await second.lock(try ObjectName("orders/0"))
        let version = try await first.replace(name, Array("one".utf8), expected: nil)
        let seen = try await second.read(name)?.version
        _ = try await first.replace(name, Array("two".utf8), expected: version)
        let error = await #expect(throws: ObjectStoreError.self) {
            _ = try await second.replace(name, Array("three".utf8), expected: seen)
        }
        #expect(error?.code == .changed)
        #expect(try await second.read(name)?.bytes == Array("two".utf8))
    }

    @Test func `the error for a bucket that does not exist names it`() async throws {
        let server = try await S3Server.shared.running()
        let store = try await server.store(in: "no-such-bucket")
        let error = await #expect(throws: ObjectStoreError.self) { try await store.create(try ObjectName("a"), [1]) }
        #expect(error?.code == .noStore)
        #expect(error?.message.contains("s3://no-such-bucket/a") == true)
    }
}

private struct ServerProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The S3 server of a test run.
struct S3Server: Sendable {
    private static let environment = ProcessInfo.processInfo.environment
    static let endpoint = environment["SLUICE_TEST_S3_ENDPOINT"]
    private static let program = environment["SLUICE_TEST_MOTO_SERVER"] ?? Program.path(of: "moto_server")
    static let isAvailable = endpoint != nil || program != nil
    static let reason: Comment =
        "no S3-compatible server: pip install 'moto[server]', or SLUICE_TEST_S3_ENDPOINT=http://…"

    let url: String
    private let process: ChildProcess?

    /// Started by the first test that needs it; ends with the tests.
    static let shared = Once()

    actor Once {
        private var server: Task<S3Server, any Error>?

        func running() async throws -> S3Server {
            if let server { return try await server.value }
            let task = Task { try await S3Server() }
            server = task
            return try await task.value
        }
    }

    private init() async throws {
        if let endpoint = Self.endpoint {
            url = endpoint
            process = nil
            return
        }
        let process = try ChildProcess(
            "moto", [Self.program ?? "", "-H", "127.0.0.1", "-p", "0"], environment: Self.environment,
            directory: ProcessCleanup.shared.directory)
        var url: String?
        try await waitUntil(within: .seconds(60)) {
            url = Self.address(in: process.errors) ?? Self.address(in: process.output)
            if process.ended != nil { throw ServerProblem("\(process)") }
            return url != nil
        }
        self.url = url ?? ""
        self.process = process
    }

    private static func address(in output: String) -> String? {
        guard let start = output.range(of: "Running on http://"), output[start.upperBound...].contains("\n") else {
            return nil
        }
        return "http://" + output[start.upperBound...].prefix { $0.isNumber || $0 == "." || $0 == ":" }
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
