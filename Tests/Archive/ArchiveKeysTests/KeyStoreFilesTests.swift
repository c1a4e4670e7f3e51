import ArchiveKeys
import ArchiveLog
import Foundation
import KafkaModel
import SQLite
import TestSupport
import Testing

/// Files of a key store and an index: permissions, copies, and contents after an erasure.
struct KeyStoreFilesTests {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `only the owner can read a new key store and its log, regardless of the umask`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        _ = try store.dataKeys(for: [StoreOnDisk.request(1)])
        for name in ["keys.db", "keys.db-wal", "keys.db-shm"] {
            #expect(try mode(disk.directory.file(name)) == 0o600, "\(name)")
        }
    }

    @Test func `opening a key store of the previous version removes read permission for others`() throws {
        let disk = try StoreOnDisk()
        try disk.open().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: disk.path)
        try disk.open().close()
        #expect(try mode(disk.path) == 0o640)
    }

    @Test func `a backup of an open store has every key, and an existing file is not overwritten`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        let ids = try store.dataKeys(for: (0..<200).map { StoreOnDisk.request($0) }).compactMap { $0.sealing?.id }
        let path = disk.directory.file("backup.db")
        try store.backUp(to: path)
        #expect(try mode(path) == 0o600)
        let backup = try KeyStore(path: path, keys: disk.keys([0]))
        #expect(try ids.allSatisfy { try backup.dataKey($0).bytes != nil })
        #expect(try backup.checkIntegrity() == [])
        let error = try #require(throws: ArchiveError.self) { try store.backUp(to: path) }
        #expect(error.message.contains("specify a different file"))
    }

    @Test func `an empty file is not a key store`() throws {
        let disk = try StoreOnDisk()
        try Data().write(to: URL(filePath: disk.path))
        let error = try #require(throws: ArchiveError.self) { try disk.open(creation: .never) }
        #expect(error.code == .keyStoreMissing)
    }

    @Test func `the error after an incomplete rewrap does not claim that keys were destroyed`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let old = try disk.open([0])
        let id = try #require(try old.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing?.id)
        old.close()
        let store = try KeyStore(path: disk.path, keys: disk.keys([1, 0]), busyTimeout: .milliseconds(50))
        let reader = try Database(path: disk.path, access: .reader)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT number FROM data_keys") { try $0.integer(0) }
        let error = try #require(throws: ArchiveError.self) { try store.rewrap() }
        #expect(error.code == .notOverwritten)
        #expect(error.message.hasPrefix("the changes are applied, but the write-ahead log of \(disk.path) may still"))
        try reader.run("COMMIT")
        #expect(try store.dataKey(id).bytes != nil)
        try store.overwriteLog()
    }

    @Test func `the outcomes of releases are returned even while another process reads the key store`() throws {
        let disk = try StoreOnDisk()
        let store = try KeyStore(
            path: disk.path, keys: disk.keys([0]), creation: .ifMissing, busyTimeout: .milliseconds(50))
        let id = try #require(try store.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing?.id)
        try store.apply([
            StoreOnDisk.record(.hold, 1, in: store, at: 2_000), StoreOnDisk.record(.erase, 1, in: store, at: 3_000),
            StoreOnDisk.record(.hold, 2, in: store, at: 2_000),
        ])
        let reader = try Database(path: disk.path, access: .reader)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT number FROM data_keys") { try $0.integer(0) }
        let releases = try [1, 2].map { try StoreOnDisk.record(.release, $0, in: store, at: 4_000) }
        #expect(try store.apply(releases, overwritesLog: false) == [.destroyed([id]), .holdEnded])
        let error = try #require(throws: ArchiveError.self) { try store.overwriteLog() }
        #expect(error.code == .notOverwritten)
        try reader.run("COMMIT")
        try store.overwriteLog()
    }

    @Test func `removing erased entries fails while another process reads the index`() throws {
        let disk = try StoreOnDisk()
        let path = disk.directory.file("index.db")
        let index = try SideIndex(path: path, store: try disk.open(), busyTimeout: .milliseconds(50))
        let partition = KafkaTopicPartition(topic: "appstore.notifications.production", partition: 0)
        let (id, name) = (try ArchiveKeyId.ofNewKey().0, IndexedName(.transactionId, "1"))
        try index.add([IndexedEntry(leaf: 0, key: id, names: [name])], of: partition, next: 1)
        let reader = try Database(path: path, access: .reader)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT leaf FROM entries") { try $0.integer(0) }
        let error = try #require(throws: ArchiveError.self) { try index.remove([id]) }
        #expect(error.code == .notOverwritten)
        try reader.run("COMMIT")
        try index.remove([id])
        #expect(try index.places(of: name).isEmpty)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty)
    }
}
