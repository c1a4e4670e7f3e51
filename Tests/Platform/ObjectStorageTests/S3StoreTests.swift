import Configuration
import HTTPClient
import ObjectStorage
import ObjectStorageTestSupport
import Primitives
import Synchronization
import TestSupport
import Testing

/// Tests of the S3 store with a simulated service, without network or waiting.
@Suite(.timeLimit(.minutes(5)))
struct S3StoreTests {
    @Test(arguments: ObjectStoreContract.allCases)
    func `satisfies the contract of stores`(_ part: ObjectStoreContract) async throws {
        try await part.check(try Bench().store)
    }

    @Test(arguments: ObjectStoreContract.allCases)
    func `satisfies the contract of stores with objects in parts`(_ part: ObjectStoreContract) async throws {
        let bench = try Bench { $0.partBytes = 3 }
        if part != .emptyAndLargeObjects { try await part.check(bench.store) }
        #expect(bench.bucket.unfinishedUploads == 0)
    }

    @Test(arguments: ObjectStoreContract.allCases)
    func `satisfies the contract of stores while 30 % of all requests fail`(_ part: ObjectStoreContract) async throws {
        var faults = 0
        for seed in UInt64(0)..<60 {
            let bench = try Bench(faults: 0.3, seed: seed) {
                $0.attempts = 40
                $0.partBytes = seed % 2 == 0 ? 4 : 1 << 20
            }
            if part == .emptyAndLargeObjects, seed % 2 == 0 { continue }
            try await part.check(bench.store, seed: seed)
            faults += bench.transport.faults
        }
        #expect(faults > 30)
    }

    @Test(arguments: [SimulatedBucket.Fidelity.withoutChecksums, .withoutRanges])
    func `services that omit optional features satisfy the contract of stores`(
        _ fidelity: SimulatedBucket.Fidelity
    ) async throws {
        for part in ObjectStoreContract.allCases { try await part.check(try Bench(fidelity).store) }
    }

    // MARK: Requests

    @Test func `names begin with the prefix of the URL`() async throws {
        let bench = try Bench { $0.prefix = try? ObjectName("company/archive") }
        try await bench.store.create(try ObjectName("log/tile/0/000"), [1])
        #expect(bench.bucket.bytes(of: "company/archive/log/tile/0/000") == [1])
        #expect(try await bench.store.list(nil, after: nil, limit: 10).map(\.name.text) == ["log/tile/0/000"])
        #expect(try await bench.store.folders(in: nil).map(\.text) == ["log"])
        #expect(try await bench.store.folders(in: try ObjectName("log")).map(\.text) == ["log/tile"])
    }

    @Test func `objects are locked for the configured number of days`() async throws {
        let bench = try Bench { $0.objectLock = .init(mode: .compliance, days: 400) }
        try await bench.store.create(try ObjectName("a"), [1])
        let headers = try #require(bench.bucket.headers(of: "a"))
        #expect(headers["x-amz-object-lock-mode"] == "COMPLIANCE")
        // The test's clock is at 2026-11-23T00:00:00Z.
        #expect(headers["x-amz-object-lock-retain-until-date"] == "2027-12-28T00:00:00.000Z")
        let without = try Bench()
        try await without.store.create(try ObjectName("a"), [1])
        #expect(without.bucket.headers(of: "a")?["x-amz-object-lock-mode"] == nil)
    }

    @Test func `a failed upload in parts is aborted`() async throws {
        let bench = try Bench { $0.partBytes = 4 }
        try await bench.store.create(try ObjectName("a"), [UInt8](repeating: 1, count: 10))
        let error = await #expect(throws: ObjectStoreError.self) {
            try await bench.store.create(try ObjectName("a"), [UInt8](repeating: 2, count: 10))
        }
        #expect(error?.code == .exists)
        #expect(bench.bucket.unfinishedUploads == 0)
        #expect(bench.bucket.bytes(of: "a") == [UInt8](repeating: 1, count: 10))
    }

    // MARK: Responses of services

    @Test(arguments: [
        (403, "AccessDenied", ObjectStoreError.Code.denied), (403, "RequestTimeTooSkewed", .denied),
        (403, "SignatureDoesNotMatch", .denied), (404, "NoSuchBucket", .noStore), (301, "PermanentRedirect", .failed),
        (507, "XMinioStorageFull", .full), (501, "NotImplemented", .failed), (400, "InvalidArgument", .failed),
    ])
    func `an error that a retry cannot fix is reported at once`(
        _ status: Int, _ word: String, _ code: ObjectStoreError.Code
    ) async throws {
        let requests = Atomic(0)
        let store = try Bench.store { _ in
            requests.add(1, ordering: .relaxed)
            return SimulatedBucket.error(status, word)
        }
        for action in [
            { _ = try await store.read(try ObjectName("a")) }, { try await store.create(try ObjectName("a"), [1]) },
            { _ = try await store.list(nil, after: nil, limit: 1) }, { try await store.delete(try ObjectName("a")) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: ObjectStoreError.self) { try await action() }
            #expect(error?.code == code)
            #expect(error?.message.contains("\(word) (status \(status))") == true)
            #expect(error?.message.contains("s3://bucket") == true)
        }
        #expect(requests.load(ordering: .relaxed) == 4)
    }

    @Test func `a transient failure is retried with growing, randomized waits`() async throws {
        let waits = Mutex<[Duration]>([])
        let store = try Bench.store(sleep: { wait in waits.withLock { $0.append(wait) } }) { _ in
            SimulatedBucket.error(503, "SlowDown")
        }
        let error = await #expect(throws: ObjectStoreError.self) { _ = try await store.read(try ObjectName("a")) }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "cannot read s3://bucket/a: SlowDown (status 503)")
        // The waits are half of 100 ms, 200 ms, … up to 5 s, because the random number is always one half.
        #expect(waits.withLock { $0 } == [50, 100, 200, 400, 800, 1600, 2500].map { .milliseconds($0) })
    }

    @Test func `a response damaged in transit is requested again, and an object damaged in the store is reported`()
        async throws
    {
        let bench = try Bench()
        let name = try ObjectName("a")
        try await bench.store.create(name, Array("content".utf8))
        let damaged = Atomic(3)
        let store = try Bench.store { request in
            let response = bench.bucket.answer(request)
            guard damaged.load(ordering: .relaxed) > 0 else { return response }
            damaged.subtract(1, ordering: .relaxed)
            return HTTPClientResponse(status: 200, headers: response.headers, body: Array("Content".utf8))
        }
        #expect(try await store.read(name)?.bytes == Array("content".utf8))
        bench.bucket.damage("a")
        let error = await #expect(throws: ObjectStoreError.self) { _ = try await store.read(name) }
        #expect(error?.code == .corrupt)
    }

    @Test(arguments: [false, true])
    func `a write with a lost response succeeds only if exactly those bytes are stored`(_ isOurs: Bool) async throws {
        let bench = try Bench()
        let name = try ObjectName("a")
        if !isOurs { try await bench.store.create(name, [9]) }
        let attempts = Atomic(0)
        let store = try Bench.store { request throws(HTTPClientError) in
            let response = bench.bucket.answer(request)
            if request.method == "PUT", attempts.add(1, ordering: .relaxed).oldValue == 0 {
                throw HTTPClientError(code: .timedOut, message: "injected")
            }
            return response
        }
        var code: ObjectStoreError.Code?
        do { try await store.create(name, [1]) } catch { code = error.code }
        #expect(code == (isOurs ? nil : .exists))
        #expect(bench.bucket.bytes(of: "a") == [isOurs ? 1 : 9])
    }

    @Test(arguments: [
        "", "<html>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>b</Key><Size>1</Size></Contents><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>",
        "<!DOCTYPE a><ListBucketResult></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken></ListBucketResult>",
    ])
    func `a malformed or endless listing is an error`(_ text: String) async throws {
        let store = try Bench.store { _ in HTTPClientResponse(status: 200, headers: [], body: Array(text.utf8)) }
        let error = await #expect(throws: ObjectStoreError.self) { _ = try await store.list(nil, after: nil, limit: 9) }
        #expect(error?.code == .corrupt)
    }

    @Test func `keys that are not names of objects are not listed`() async throws {
        let text = ["../a", "a//b", "a%2Fb", "a%20b", "a%2", ".a", "c", "d/"].map {
            "<Contents><Key>\($0)</Key><Size>1</Size></Contents>"
        }.joined()
        let store = try Bench.store { _ in
            HTTPClientResponse(
                status: 200, headers: [], body: Array("<ListBucketResult>\(text)</ListBucketResult>".utf8))
        }
        #expect(try await store.list(nil, after: nil, limit: 9).map(\.name.text) == ["a/b", "c"])
    }

    // MARK: Conditional writes as locks

    @Test(arguments: [SimulatedBucket.Fidelity.withoutIfMatch, .withoutIfNoneMatch])
    func `a service that ignores conditions is never written to`(_ fidelity: SimulatedBucket.Fidelity) async throws {
        let bench = try Bench(fidelity)
        let error = await #expect(throws: ObjectStoreError.self) {
            _ = try await bench.store.lock(try ObjectName("log"))
        }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("the service ignores If-") == true)
    }

    @Test func `every writer gets a lock, and the service is probed once for support of conditions`() async throws {
        let bench = try Bench()
        for _ in 0..<3 { _ = try await bench.store.lock(try ObjectName("log")) }
        #expect(bench.bucket.requests.count == 3)
        #expect(bench.bucket.requests.allSatisfy { $0 == "PUT /bucket/conditional-writes" })
    }

    @Test func `transient failures of the probe do not make a service appear to ignore conditions`() async throws {
        let bench = try Bench()
        let requests = Atomic(0)
        // Every other request fails, so each write of the probe is sent twice.
        let store = try Bench.store { request in
            guard requests.add(1, ordering: .relaxed).oldValue % 2 == 1 else {
                return SimulatedBucket.error(503, "SlowDown")
            }
            return bench.bucket.answer(request)
        }
        _ = try await store.lock(try ObjectName("log"))
        let stored = bench.bucket.bytes(of: "conditional-writes").map { String(decoding: $0, as: UTF8.self) }
        #expect(stored == "This object shows that the service heeds If-None-Match and If-Match.\n")
    }

    // MARK: Configuration

    @Test(arguments: [
        ("https://S3.example.com/", "https://s3.example.com"), ("https://s3.example.com:443", "https://s3.example.com"),
        ("http://127.0.0.1:80", "http://127.0.0.1"), ("http://[::1]:9000", "http://[::1]:9000"),
    ])
    func `the endpoint is normalized to the host that libcurl sends`(_ text: String, _ endpoint: String) throws {
        #expect(try S3Configuration(endpoint: text, region: "r", bucket: "b", prefix: nil).endpoint == endpoint)
    }

    @Test(arguments: [
        "", "s3.example.com", "ftp://a", "https://", "https://a/b", "https://u:p@a", "https://a?b", "https://a b",
    ])
    func `invalid endpoints are refused`(_ text: String) {
        let error = #expect(throws: ObjectStoreError.self) {
            try S3Configuration(endpoint: text, region: "r", bucket: "b", prefix: nil)
        }
        #expect(error?.code == .invalidURL)
    }
}

/// A store with a simulated bucket, at 2026-11-23T00:00:00Z.
struct Bench {
    let bucket: SimulatedBucket
    let transport: FaultyTransport
    let store: S3Store

    init(
        _ fidelity: SimulatedBucket.Fidelity = .whole, faults: Double = 0, seed: UInt64 = 1,
        _ configure: (inout S3Configuration) -> Void = { _ in }
    ) throws {
        let bucket = SimulatedBucket("bucket", fidelity)
        let transport = FaultyTransport(faults, seed: seed) { bucket.answer($0) }
        self.bucket = bucket
        self.transport = transport
        store = try Self.store(configure) { request throws(HTTPClientError) in try await transport.send(request) }
    }

    static func store(
        _ configure: (inout S3Configuration) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async -> Void = { _ in }, send: @escaping FaultyTransport.Send
    ) throws -> S3Store {
        var configuration = try S3Configuration(
            endpoint: "http://s3.example.com", region: "eu-central-1", bucket: "bucket", prefix: nil)
        configure(&configuration)
        let clocks = Clocks(wallMilliseconds: { 1_795_392_000_000 }, monotonicNanoseconds: { 0 })
        let credentials = S3Credentials(accessKeyId: "A", secretAccessKey: Secret([1]))
        return S3Store(
            configuration,
            S3Client.Surroundings(
                send: send, credentials: { credentials }, clocks: clocks, sleep: sleep, random: { 0.5 }))
    }
}
