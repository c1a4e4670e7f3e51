import Foundation
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing

/// Tests of the S3 store over HTTP with each installed third-party server; see ``S3Program``.
@Suite(.enabled(if: !S3Program.available.isEmpty, S3Program.reason), .serialized, .timeLimit(.minutes(10)))
struct S3ServerTests {
    /// A part of the contract on one server.
    struct Case: CustomTestStringConvertible, Sendable {
        let program: S3Program
        let part: ObjectStoreContract

        var testDescription: String { "\(program): \(part.testDescription)" }

        static let all = S3Program.available.flatMap { program in
            ObjectStoreContract.allCases.filter { !program.departures.contains($0) }.map {
                Case(program: program, part: $0)
            }
        }
    }

    @Test(arguments: Case.all)
    func `satisfies the contract of stores`(_ test: Case) async throws {
        let server = try await test.program.running()
        try await test.part.check(try await server.store(), seed: UInt64.random(in: 0...UInt64.max))
    }

    @Test(arguments: Case.all)
    func `satisfies the contract of stores while 30 % of all requests fail`(_ test: Case) async throws {
        let server = try await test.program.running()
        try await test.part.check(try await server.store(faults: 0.3), seed: UInt64.random(in: 0...UInt64.max))
    }

    /// SeaweedFS sorts the contents of each folder separately, so `a/1` precedes `a.b`. The names of a log are not
    /// affected.
    @Test(arguments: S3Program.available)
    func `the names of a log are listed in byte order`(_ program: S3Program) async throws {
        let store = try await program.running().store()
        let log = try ObjectName("appstore.notifications.production/0")
        let names = try [
            "checkpoint", "checkpoints/000", "checkpoints/x001/000", "retention", "segments/000", "segments/001.p/17",
            "segments/x001/234", "staging/1.a", "tile/0/000", "tile/0/001.p/17", "tile/0/001.p/9", "tile/0/x001/000",
            "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/17", "tile/entries/x001/000",
        ].map(log.appending)
        for name in names.reversed() { try await store.create(name, Array(name.text.utf8)) }
        var found: [ObjectName] = []
        while true {
            let page = try await store.list(log, after: found.last, limit: 3)
            found += page.map(\.name)
            if page.count < 3 { break }
        }
        #expect(found == names.sorted())
        #expect(try await store.folders(in: nil).map(\.text) == ["appstore.notifications.production"])
    }

    @Test(arguments: S3Program.available)
    func `objects larger than the part size are uploaded in parts`(_ program: S3Program) async throws {
        let server = try await program.running()
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

    @Test(arguments: S3Program.available)
    func `a second writer is refused`(_ program: S3Program) async throws {
        let server = try await program.running()
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

    @Test(arguments: S3Program.available)
    func `the error for a missing bucket names the bucket`(_ program: S3Program) async throws {
        let server = try await program.running()
        let store = try await server.store(in: "no-such-bucket")
        let error = await #expect(throws: ObjectStoreError.self) { try await store.create(try ObjectName("a"), [1]) }
        #expect(error?.code == .noStore)
        #expect(error?.message.contains("s3://no-such-bucket/a") == true)
    }
}
