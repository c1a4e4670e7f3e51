import Foundation
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DirectoryStoreTests {
    @Test(arguments: ObjectStoreContract.allCases)
    func `satisfies the contract of stores`(_ part: ObjectStoreContract) async throws {
        let directory = try TemporaryDirectory()
        try await part.check(try DirectoryStore(path: directory.path, creating: false))
    }

    @Test(arguments: ObjectStoreContract.allCases)
    func `satisfies the contract of stores on a simulated disk`(_ part: ObjectStoreContract) async throws {
        try await part.check(try DirectoryStore(path: "/archive", creating: true, calls: SimulatedDisk()))
    }

    // MARK: The directory

    @Test func `the directory is created if requested, but never its parent`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("archive")
        let error = #expect(throws: ObjectStoreError.self) { try DirectoryStore(path: path, creating: false) }
        #expect(error?.code == .noStore)
        #expect(error?.message == "the directory \(path) does not exist: check the path and the mounted volumes")
        _ = try DirectoryStore(path: path, creating: true)
        #expect(try mode(path) == 0o750 & ~umask)
        let unmounted = #expect(throws: ObjectStoreError.self) {
            try DirectoryStore(path: directory.file("volume/archive"), creating: true)
        }
        #expect(unmounted?.code == .noStore)
        #expect(unmounted?.message.contains("mount the volume") == true)
    }

    @Test func `files are accessible to owner and group only`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        try await store.create(try ObjectName("a/b"), [1])
        _ = try await store.replace(try ObjectName("a/c"), [1], expected: nil)
        #expect(try mode(directory.file("a")) == 0o750 & ~umask)
        #expect(try mode(directory.file("a/b")) == 0o640 & ~umask)
        #expect(try mode(directory.file("a/c")) == 0o640 & ~umask)
    }

    @Test func `an object is one file with its name, and no other file remains`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        try await store.create(try ObjectName("log/tile/0/000"), Array("tile".utf8))
        let version = try await store.replace(try ObjectName("log/checkpoint"), Array("one".utf8), expected: nil)
        _ = try await store.replace(try ObjectName("log/checkpoint"), Array("two".utf8), expected: version)
        #expect(FileManager.default.contents(atPath: directory.file("log/tile/0/000")) == Data("tile".utf8))
        #expect(FileManager.default.contents(atPath: directory.file("log/checkpoint")) == Data("two".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("log")).sorted()
        #expect(names == ["checkpoint", "tile"])
        _ = try await store.lock(try ObjectName("log"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("log")).count == 2)
        #expect(try await store.folders(in: nil).map(\.text) == ["log"], "the store's own folder contains no objects")
    }

    @Test func `folders that a deletion leaves empty are removed`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        try await store.create(try ObjectName("tile/0/000.p/1"), [1])
        try await store.create(try ObjectName("tile/0/000.p/2"), [1])
        try await store.delete(try ObjectName("tile/0/000.p/1"))
        #expect(FileManager.default.fileExists(atPath: directory.file("tile/0/000.p")))
        try await store.delete(try ObjectName("tile/0/000.p/2"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    // MARK: Obstacles

    @Test func `links are never followed, neither for reading nor for writing`() async throws {
        let outside = try TemporaryDirectory()
        _ = try outside.write("secret", to: "file")
        let directory = try TemporaryDirectory()
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: directory.file("folder"), withDestinationPath: outside.path)
        try manager.createSymbolicLink(atPath: directory.file("object"), withDestinationPath: outside.file("file"))
        try manager.createSymbolicLink(atPath: directory.file("new"), withDestinationPath: outside.file("made"))
        let store = try DirectoryStore(path: directory.path, creating: false)
        for name in ["folder/file", "object"] {
            await expect(.unsafePath) { _ = try await store.read(try ObjectName(name)) }
        }
        await expect(.unsafePath) { try await store.create(try ObjectName("folder/other"), [1]) }
        await expect(.unsafePath) { _ = try await store.lock(try ObjectName("folder")) }
        await expect(.exists) { try await store.create(try ObjectName("new"), [1]) }
        await expect(.unsafePath) { _ = try await store.replace(try ObjectName("object"), [1], expected: nil) }
        #expect(try await store.list(nil, after: nil, limit: 10).isEmpty)
        try await store.delete(try ObjectName("object"))
        #expect(try manager.contentsOfDirectory(atPath: outside.path) == ["file"])
        #expect(manager.contents(atPath: outside.file("file")) == Data("secret".utf8))
    }

    @Test func `a pipe in place of an object is refused and does not block the caller`() async throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.file("object"), 0o600) == 0)
        let store = try DirectoryStore(path: directory.path, creating: false)
        await expect(.unsafePath) { _ = try await store.read(try ObjectName("object")) }
    }

    @Test func `the error for an object in place of a folder names the object`() async throws {
        let store = try DirectoryStore(path: "/archive", creating: true, calls: SimulatedDisk())
        try await store.create(try ObjectName("a"), [1])
        let error = await #expect(throws: ObjectStoreError.self) { try await store.create(try ObjectName("a/b"), [1]) }
        #expect(error?.message.contains("an object has the same name") == true)
    }

    @Test func `an object is written even if its folder is removed in the meantime`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        try await store.create(try ObjectName("a/b/1"), [1])
        // Another process removes the folder while this store has it open.
        try FileManager.default.removeItem(atPath: directory.file("a"))
        try await store.create(try ObjectName("a/b/2"), [2])
        #expect(FileManager.default.contents(atPath: directory.file("a/b/2")) == Data([2]))
        try FileManager.default.removeItem(atPath: directory.file("a"))
        try FileManager.default.createDirectory(atPath: directory.file("a/b"), withIntermediateDirectories: true)
        _ = try directory.write([3], to: "a/b/3")
        #expect(try await store.read(try ObjectName("a/b/3"))?.bytes == [3])
    }

    @Test func `the remains of an exchange interrupted by a crash are overwritten`() async throws {
        let directory = try TemporaryDirectory()
        _ = try directory.write("half of what was to b", to: ".checkpoint.new")
        let store = try DirectoryStore(path: directory.path, creating: false)
        #expect(try await store.list(nil, after: nil, limit: 10).isEmpty)
        _ = try await store.replace(try ObjectName("checkpoint"), Array("whole".utf8), expected: nil)
        #expect(FileManager.default.contents(atPath: directory.file("checkpoint")) == Data("whole".utf8))
    }

    // MARK: Locks

    @Test func `a second writer is refused until the first one finishes`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        let other = try DirectoryStore(path: directory.path, creating: false)
        let name = try ObjectName("orders/0")
        let lock = try await store.lock(name)
        for second in [store, other] {
            let error = await #expect(throws: ObjectStoreError.self) { _ = try await second.lock(name) }
            #expect(error?.code == .locked)
            #expect(
                error?.message.hasPrefix("\(directory.file(".locks/orders/0/.writer.lock")) is locked by another")
                    == true
            )
        }
        _ = try await other.lock(try ObjectName("orders/1"))
        lock.release()
        lock.release()
        _ = try await other.lock(name)
    }

    @Test func `locks of an earlier release exclude a writer, and the first lock removes them`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        let name = try ObjectName("orders/0/checkpoints/x001/234")
        _ = try await store.replace(name, [1], expected: nil)
        let former = ["orders/0/.writer.lock", "orders/0/.exchange.lock", "orders/0/checkpoints/x001/.exchange.lock"]
        for path in former { _ = try directory.write("", to: path) }
        let descriptor = open(directory.file("orders/0/.writer.lock"), O_RDWR)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        await expect(.locked) { _ = try await store.lock(try ObjectName("orders/0")) }
        close(descriptor)
        _ = try await store.lock(try ObjectName("orders/0"))
        for path in former { #expect(!FileManager.default.fileExists(atPath: directory.file(path)), "\(path)") }
        #expect(try await store.read(name)?.bytes == [1])
    }

    @Test(.enabled(if: Program.path(of: "flock") != nil, "no flock(1)"))
    func `a second process is also refused`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        let lock = try await store.lock(try ObjectName("orders/0"))
        let command = ["flock", "-n", "-E", "9", directory.file(".locks/orders/0/.writer.lock"), "true"]
        let refused = try await ChildProcess.run("flock", command, directory: directory.path, within: .seconds(20))
        #expect(refused.end == .exit(9))
        lock.release()
        let taken = try await ChildProcess.run("flock", command, directory: directory.path, within: .seconds(20))
        #expect(taken.end == .exit(0))
    }

    @Test func `a released lock is free even if a copy of its descriptor is open`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(path: directory.path, creating: false)
        let name = try ObjectName("orders/0")
        let lock = try await store.lock(name)
        let path = directory.file(".locks/orders/0/.writer.lock")
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let copies = descriptors.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        try #require(copies.count == 1)
        lock.release()
        _ = try await store.lock(name)
    }

    @Test func `a lock is released with its last reference`() async throws {
        let store = try DirectoryStore(path: "/archive", creating: true, calls: SimulatedDisk())
        let name = try ObjectName("orders/0")
        _ = try await store.lock(name)
        _ = try await store.lock(name)
    }

    private func expect(_ code: ObjectStoreError.Code, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ObjectStoreError.self) { try await body() }
        #expect(error?.code == code)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private var umask: Int {
        let mask = Foundation.umask(0)
        _ = Foundation.umask(mask)
        return Int(mask)
    }
}
