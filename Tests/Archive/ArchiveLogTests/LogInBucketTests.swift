import ArchiveLog
import Cryptography
import HTTPClient
import ObjectStorage
import ObjectStorageTestSupport
import Synchronization
import Testing
import TransparencyLog

/// The writer of a log in a bucket, with requests that fail, processes that end between two requests, and second
/// writers.
@Suite("Logs in a bucket") struct LogInBucketTests {
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.ed25519) }

    private static let ends: [Int64] = [2, 254, 258, 259]

    @Test func `the log is complete although 30 % of all requests fail`() async throws {
        for seed in UInt64(0)..<20 {
            let bucket = SimulatedBucket()
            let transport = FaultyTransport(0.3, seed: seed) { bucket.answer($0) }
            let log = try WrittenLog(
                bucket.store { request throws(HTTPClientError) in try await transport.send(request) }, key: key)
            var writer = try await log.open()
            for end in Self.ends {
                try WrittenLog.append(upTo: end, to: &writer)
                try await writer.commit(at: 0)
            }
            #expect(try await log.check().size == 259, "seed \(seed)")
            #expect(transport.faults > 5)
        }
    }

    /// Writes all steps over a network that fails after `requests` requests. The last request may have arrived.
    private func write(_ bucket: SimulatedBucket, requests: Int, lastArrives: Bool) async throws -> (
        acknowledged: Int64, isComplete: Bool
    ) {
        let count = Atomic(0)
        let store = try bucket.store { request throws(HTTPClientError) in
            let number = count.add(1, ordering: .relaxed).newValue
            if number < requests || number == requests && lastArrives {
                let response = bucket.answer(request)
                if number < requests { return response }
            }
            throw HTTPClientError(code: .cancelled, message: "the process has ended")
        }
        var acknowledged: Int64 = 0
        do {
            let log = try WrittenLog(store, key: key)
            var writer = try await log.open()
            for end in Self.ends {
                try WrittenLog.append(upTo: end, to: &writer)
                try await writer.commit(at: 0)
                acknowledged = end
            }
        } catch {}
        return (acknowledged, count.load(ordering: .relaxed) < requests)
    }

    @Test(arguments: [false, true])
    func `a log is continued without a gap or repeat after a process ended at any request`(_ lastArrives: Bool)
        async throws
    {
        for requests in 1... {
            let bucket = SimulatedBucket()
            let (acknowledged, isComplete) = try await write(bucket, requests: requests, lastArrives: lastArrives)
            let log = try WrittenLog(try bucket.store(), key: key)
            var writer = try await log.open()
            #expect(writer.committedSize >= Int(acknowledged), "request \(requests)")
            try WrittenLog.append(upTo: 262, to: &writer)
            try await writer.commit(at: 0)
            #expect(try await log.check().size == 262, "request \(requests)")
            if isComplete { return #expect(acknowledged == Self.ends.last) }
        }
    }

    @Test func `a former writer is rejected after another one has continued the log`() async throws {
        let bucket = SimulatedBucket()
        let log = try WrittenLog(try bucket.store(), key: key)
        var former = try await log.open()
        try WrittenLog.append(upTo: 10, to: &former)
        try await former.commit(at: 0)
        var present = try await log.open()
        try WrittenLog.append(upTo: 20, to: &former)
        let error = await #expect(throws: ArchiveError.self) { try await former.commit(at: 0) }
        #expect(error?.code == .otherWriter)
        try WrittenLog.append(upTo: 30, to: &present)
        try await present.commit(at: 0)
        #expect(try await log.check().size == 30)
    }

    @Test func `files that an earlier release left without a checkpoint are overwritten`() async throws {
        let log = try WrittenLog(try SimulatedBucket().store(), key: key)
        var writer = try await log.open()
        for name in ["segments/000", "segments/001.p/44", "tile/0/000", "tile/entries/000", "tile/1/000.p/1"] {
            try await log.store.create(try log.names.prefix.appending(name), Array("left".utf8))
        }
        try WrittenLog.append(upTo: 300, to: &writer)
        try await writer.commit(at: 0)
        #expect(try await log.check().size == 300)
    }

    @Test func `a commit leaves no staged objects, nor does a failed one after the log is reopened`() async throws {
        let bucket = SimulatedBucket()
        let fails = Atomic(false)
        let store = try bucket.store(attempts: 1) { request throws(HTTPClientError) in
            guard fails.load(ordering: .relaxed), request.url.hasSuffix("/checkpoint"), request.method == "PUT" else {
                return bucket.answer(request)
            }
            throw HTTPClientError(code: .connectionFailed, message: "injected")
        }
        let log = try WrittenLog(store, key: key)
        var writer = try await log.open()
        try WrittenLog.append(upTo: 10, to: &writer)
        try await writer.commit(at: 0)
        #expect(try await !log.objects().contains { $0.hasPrefix("staging/") })
        try WrittenLog.append(upTo: 20, to: &writer)
        fails.store(true, ordering: .relaxed)
        await #expect(throws: ArchiveError.self) { try await writer.commit(at: 0) }
        let objects = try await log.objects()
        #expect(objects.filter { $0.hasPrefix("staging/20-") }.count == 1)
        #expect(!objects.contains("segments/000.p/20"), "no name is written before the checkpoint")
        fails.store(false, ordering: .relaxed)
        #expect(try await log.open().size == 10)
        #expect(try await !log.objects().contains { $0.hasPrefix("staging/") })
    }
}
