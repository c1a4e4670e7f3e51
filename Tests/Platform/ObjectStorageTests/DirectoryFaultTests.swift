import Foundation
import ObjectStorage
import ObjectStorageTestSupport
import Testing

/// Tests in which each system call fails in turn.
@Suite(.timeLimit(.minutes(5)))
struct DirectoryFaultTests {
    typealias Fault = FaultyCalls.Fault

    @Test func `an object requires three system calls, and one more to be durable`() async throws {
        let (store, calls) = try store()
        try await store.create(try ObjectName("tile/0/000"), [1])
        try await store.synchronize()
        calls.reset()
        for index in 1...100 { try await store.create(try ObjectName("tile/0/00\(index)"), [1]) }
        // Each object takes one open and one write. Closing is not counted.
        #expect(calls.total == 200)
        calls.reset()
        try await store.synchronize()
        // There is one call for each file and one for the folder.
        #expect(calls.total == 101)
        #expect(calls.count(of: .synchronize) == 101)
        calls.reset()
        try await store.synchronize()
        #expect(calls.total == 0)
    }

    @Test func `new folders are made durable up to the root`() async throws {
        let (store, calls) = try store()
        try await store.create(try ObjectName("a/b/c/1"), [1])
        calls.reset()
        try await store.synchronize()
        // The calls are for the file, c, b, a and the root.
        #expect(calls.count(of: .synchronize) == 5)
    }

    @Test func `folders created by an earlier process are also made durable`() async throws {
        let disk = SimulatedDisk()
        let first = try DirectoryStore(path: "/archive", creating: true, calls: disk)
        try await first.create(try ObjectName("a/b/1"), [1])
        let calls = FaultyCalls(disk.afterDeath())
        let second = try DirectoryStore(path: "/archive", creating: false, calls: calls)
        try await second.create(try ObjectName("a/b/2"), [1])
        calls.reset()
        try await second.synchronize()
        #expect(calls.count(of: .synchronize) == 4)
    }

    @Test func `the number of files waiting to be synchronized is limited`() async throws {
        let disk = SimulatedDisk()
        let store = try DirectoryStore(path: "/archive", creating: true, calls: disk)
        for index in 0..<2_000 {
            try await store.create(try ObjectName("a/\(index)"), [1])
            #expect(disk.openCount <= DirectoryStore.maximumUnsynchronized + 3)
        }
    }

    @Test func `a full disk is reported, and the failed write leaves no file`() async throws {
        let (store, calls) = try store()
        let name = try ObjectName("a/b")
        calls.reset([Fault(.write, number: 1, error: ENOSPC)])
        let error = await #expect(throws: ObjectStoreError.self) { try await store.create(name, [1, 2, 3]) }
        #expect(error?.code == .full)
        #expect(error?.isRetriable == true)
        #expect(
            error?.message
                == "cannot write /archive/a/b: No space left on device; free up space on the file system, or enlarge it"
        )
        #expect(try await store.read(name) == nil)
        try await store.create(name, [1, 2, 3])
        try await store.synchronize()
    }

    @Test(arguments: [
        (EACCES, ObjectStoreError.Code.denied), (EROFS, .denied), (EDQUOT, .full), (EIO, .failed), (EMFILE, .failed),
    ])
    func `the error states the system's reason and the fix`(_ error: Int32, _ code: ObjectStoreError.Code)
        async throws
    {
        let (store, calls) = try store()
        try await store.create(try ObjectName("a/1"), [1])
        calls.reset([Fault(.open, number: 1, error: error)])
        let thrown = await #expect(throws: ObjectStoreError.self) { try await store.create(try ObjectName("a/b"), [1]) }
        #expect(thrown?.code == code)
        let reason = String(cString: strerror(error))
        #expect(thrown?.message.hasPrefix("cannot create /archive/a/b: \(reason); ") == true)
    }

    @Test func `a file that could not be synchronized remains not durable until it is deleted`() async throws {
        let (store, calls) = try store()
        let name = try ObjectName("a/b")
        try await store.create(name, [1])
        try await store.create(try ObjectName("a/c"), [1])
        calls.reset([Fault(.synchronize, number: 1), Fault(.synchronize, number: 2)])
        // Each file fails only once: a second fsync of the same bytes would report success.
        for _ in 0..<3 {
            let error = await #expect(throws: ObjectStoreError.self) { try await store.synchronize() }
            #expect(error?.code == .notDurable)
            #expect(error?.message.hasPrefix("cannot make /archive/a/b durable: Input/output error") == true)
        }
        try await store.delete(name)
        let error = await #expect(throws: ObjectStoreError.self) { try await store.synchronize() }
        #expect(error?.message.hasPrefix("cannot make /archive/a/c durable") == true)
        try await store.delete(try ObjectName("a/c"))
        try await store.synchronize()
        try await store.create(name, [2])
        try await store.synchronize()
    }

    /// The second and the third synchronization are for the two folders.
    @Test(arguments: [2, 3])
    func `objects in a folder that could not be synchronized are not durable until deleted`(number: Int) async throws {
        let (store, calls) = try store()
        let name = try ObjectName("a/b")
        try await store.create(name, [1])
        calls.reset([Fault(.synchronize, number: number)])
        for _ in 0..<3 {
            let error = await #expect(throws: ObjectStoreError.self) { try await store.synchronize() }
            #expect(error?.code == .notDurable)
        }
        try await store.delete(name)
        try await store.create(name, [1])
        try await store.synchronize()
    }

    @Test func `a failed synchronization no longer blocks other writers once the writer's lock is released`()
        async throws
    {
        let (store, calls) = try store()
        let lock = try await store.lock(try ObjectName("a/0"))
        try await store.create(try ObjectName("a/0/b"), [1])
        calls.reset([Fault(.synchronize, number: 1)])
        await #expect(throws: ObjectStoreError.self) { try await store.synchronize() }
        try await store.create(try ObjectName("a/1/b"), [1])
        await #expect(throws: ObjectStoreError.self) { try await store.synchronize() }
        lock.release()
        try await store.synchronize()
    }

    /// Runs `body` repeatedly, each time with a different failing system call, and checks the result.
    private func failingEach(
        lasts: Bool, _ body: (DirectoryStore) async throws -> Void,
        check: (DirectoryStore, FaultyCalls, _ succeeded: Bool) async throws -> Void
    ) async throws {
        for number in 1... {
            let (store, calls) = try store()
            try await store.create(try ObjectName("log/before"), [0])
            _ = try await store.replace(try ObjectName("log/checkpoint"), [0], expected: nil)
            try await store.synchronize()
            calls.reset([Fault(nil, number: number, lasts: lasts)])
            var succeeded = true
            do { try await body(store) } catch is ObjectStoreError { succeeded = false }
            let isReached = calls.total >= number
            calls.reset()
            try await check(store, calls, succeeded)
            guard isReached else { return #expect(succeeded) }
        }
    }

    @Test(arguments: [false, true])
    func `an object is complete or absent, no matter which call of its creation fails`(_ lasts: Bool) async throws {
        let name = try ObjectName("log/new/object")
        try await failingEach(lasts: lasts) {
            try await $0.create(name, [1, 2, 3, 4])
        } check: { store, _, succeeded in
            let stored = try await store.read(name)?.bytes
            // With a lasting fault, the partial file cannot be removed either; the next writer deletes it.
            if succeeded || !lasts { #expect(stored == (succeeded ? [1, 2, 3, 4] : nil)) }
            try await store.delete(name)
            try await store.create(name, [5])
            try await store.synchronize()
            #expect(try await store.read(name)?.bytes == [5])
        }
    }

    @Test(arguments: [false, true])
    func `an object has its old or its new content, no matter which call of its replacement fails`(
        _ lasts: Bool
    ) async throws {
        let name = try ObjectName("log/checkpoint")
        try await failingEach(lasts: lasts) { store in
            let version = try await store.read(name)?.version
            _ = try await store.replace(name, [1, 2, 3, 4], expected: version)
        } check: { store, _, succeeded in
            let stored = try #require(try await store.read(name))
            #expect(stored.bytes == [1, 2, 3, 4] || !succeeded && stored.bytes == [0])
            _ = try await store.replace(name, [5], expected: stored.version)
            #expect(try await store.read(name)?.bytes == [5])
        }
    }

    @Test(arguments: [false, true])
    func `a failure of any call of a synchronization is reported`(_ lasts: Bool) async throws {
        try await failingEach(lasts: lasts) { store in
            try await store.create(try ObjectName("log/new/object"), [1])
            try await store.synchronize()
        } check: { store, calls, succeeded in
            guard !succeeded else { return }
            try await store.delete(try ObjectName("log/new/object"))
            try await store.synchronize()
            #expect(
                try await store.list(nil, after: nil, limit: 9).map(\.name.text) == ["log/before", "log/checkpoint"])
        }
    }

    @Test(arguments: [false, true])
    func `a failure of any call of a deletion, listing or lock changes nothing else`(_ lasts: Bool) async throws {
        try await failingEach(lasts: lasts) { store in
            try await store.delete(try ObjectName("log/before"))
            _ = try await store.list(nil, after: nil, limit: 9)
            _ = try await store.folders(in: nil)
            _ = try await store.lock(try ObjectName("log"))
        } check: { store, _, _ in
            try await store.delete(try ObjectName("log/before"))
            #expect(try await store.list(nil, after: nil, limit: 9).map(\.name.text) == ["log/checkpoint"])
            _ = try await store.lock(try ObjectName("log"))
        }
    }

    private func store() throws -> (DirectoryStore, FaultyCalls) {
        let calls = FaultyCalls(SimulatedDisk())
        return (try DirectoryStore(path: "/archive", creating: true, calls: calls), calls)
    }
}
