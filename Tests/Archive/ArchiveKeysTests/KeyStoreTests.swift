import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import SQLite
import TestSupport
import Testing

struct KeyStoreTests {
    @Test func `a subject has one key, in every call and after a restart`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        let first = try store.dataKeys(for: [1, 2, 1, 3].map { StoreOnDisk.request($0) }).map(\.sealing)
        #expect(first[0]?.id == first[2]?.id)
        #expect(Set(first.compactMap(\.?.id)).count == 3)
        #expect(Set(first.compactMap(\.?.bytes)).count == 3)
        store.close()
        let again = try disk.open(creation: .never)
        let second = try again.dataKeys(for: [1, 2].map { StoreOnDisk.request($0) }).map(\.sealing)
        #expect(second[0]?.bytes == first[0]?.bytes)
        #expect(second[1]?.id == first[1]?.id)
        let id = try #require(first[3]?.id)
        #expect(try again.dataKey(id).bytes == first[3]?.bytes)
        #expect(try again.counts().keys == 3)
        #expect(try again.checkIntegrity() == [])
    }

    @Test func `keys stay the same when only a few fit into memory`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open(cachedSubjects: 4)
        let numbers = Array(0..<50)
        let first = try store.dataKeys(for: numbers.map { StoreOnDisk.request($0) }).map { $0.sealing?.id }
        for number in numbers.reversed() {
            #expect(try store.dataKeys(for: [StoreOnDisk.request(number)]).first?.sealing?.id == first[number])
        }
        #expect(try store.counts().keys == 50)
    }

    @Test func `the file contains neither subjects nor unwrapped keys`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        let sealing = try #require(try store.dataKeys(for: [StoreOnDisk.request(4_711)]).first?.sealing)
        for (name, bytes) in try disk.allBytes() {
            #expect(bytes.range(of: Data(sealing.bytes)) == nil, "\(name)")
            #expect(bytes.range(of: Data("com.example".utf8)) == nil, "\(name)")
            #expect(bytes.range(of: Data("4711".utf8)) == nil, "\(name)")
        }
        let mark = try store.mark(of: StoreOnDisk.subject(4_711))
        #expect(try disk.allBytes().values.contains { $0.range(of: Data(mark.digest.bytes)) != nil })
    }

    @Test func `processes that open the store at once use the same keys`() async throws {
        let disk = try StoreOnDisk()
        let keys = try disk.keys([0])
        let path = disk.path
        let all = try await withThrowingTaskGroup(of: [ArchiveKeyId?].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try KeyStore(path: path, keys: keys, creation: .ifMissing)
                    return try (0..<20).flatMap { round in
                        try store.dataKeys(for: [0, 1, 2].map { StoreOnDisk.request(round * 3 + $0) })
                            .map { $0.sealing?.id }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(all).count == 1)
        #expect(Set(all[0]).count == 60)
        #expect(try disk.open().counts().keys == 60)
    }

    @Test func `a lost store is reported with the fix`() throws {
        let disk = try StoreOnDisk()
        let error = try #require(throws: ArchiveError.self) { try disk.open(creation: .never) }
        #expect(error.code == .keyStoreMissing)
        #expect(error.message.contains("restore the key store from its backup"))
        #expect(error.message.contains(disk.path))
        #expect(!FileManager.default.fileExists(atPath: disk.path))
    }

    @Test func `the error for a wrong key-encryption key lists the required key and the given ones`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        _ = try disk.open([0]).dataKeys(for: [StoreOnDisk.request(1)])
        let error = try #require(throws: ArchiveError.self) { try disk.open([1]) }
        #expect(error.code == .wrongEncryptionKey)
        let ids = try disk.keys([0, 1]).keys.map(\.id)
        #expect(error.message.contains("wrapped with key-encryption key \(ids[0])"))
        #expect(error.message.contains("\(ids[1]) (key 1)"))
        #expect(try disk.open([1, 0]).counts().keys == 1)
    }

    @Test func `after a rotation old keys can be opened and rewrapped, and then need only the new key`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let old = try disk.open([0])
        let before = try old.dataKeys(for: (0..<25).map { StoreOnDisk.request($0) }).map(\.sealing)
        let mark = try old.mark(of: StoreOnDisk.subject(1))
        try old.apply([try StoreOnDisk.record(.erase, 24, in: old)])
        let marksId = old.marksId
        old.close()

        let both = try disk.open([1, 0])
        #expect(try both.dataKeys(for: [StoreOnDisk.request(3)]).first?.sealing?.bytes == before[3]?.bytes)
        let ids = try disk.keys([0, 1]).keys.map(\.id)
        #expect(try both.wrappedKeys() == [ids[0]: 25])
        #expect(try both.rewrap(batch: 10) == 24 + 1, "24 keys, and the pseudonym key")
        #expect(try both.wrappedKeys() == [ids[1]: 25])
        #expect(try both.rewrap() == 0)
        both.close()

        let new = try disk.open([1])
        let after = try new.dataKeys(for: (0..<25).map { StoreOnDisk.request($0) })
        for number in 0..<24 { #expect(after[number].sealing?.bytes == before[number]?.bytes) }
        #expect(after[24].isErased)
        #expect(try new.mark(of: StoreOnDisk.subject(1)) == mark)
        #expect(new.marksId == marksId)
        #expect(try new.checkIntegrity() == [])
        #expect(throws: ArchiveError.self) { try disk.open([0]) }
    }

    @Test func `stores of one installation have the same pseudonyms, even if created after a rotation`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let first = try disk.open([0])
        let second = try KeyStore(
            path: disk.directory.file("second.db"), keys: try disk.keys([1, 0]), creation: .ifMissing)
        let subject = StoreOnDisk.subject(5)
        #expect(try first.mark(of: subject) == second.mark(of: subject))
        #expect(first.marksId == second.marksId)
        let foreign = try KeyStore(
            path: disk.directory.file("foreign.db"), keys: try disk.keys([1]), creation: .ifMissing)
        #expect(try foreign.mark(of: subject) != first.mark(of: subject))
        let record = try StoreOnDisk.record(.erase, 5, in: first)
        let error = try #require(throws: ArchiveError.self) { try foreign.apply([record], nextOffset: 1) }
        #expect(error.code == .foreignMarks)
        #expect(try foreign.erasuresNextOffset == nil)
    }

    @Test func `a wrapped key that was modified or swapped is rejected, and the integrity check lists it`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        let ids = try store.dataKeys(for: [1, 2, 3].map { StoreOnDisk.request($0) }).compactMap(\.sealing?.id)
        let rows = try disk.rows()
        try disk.run("UPDATE data_keys SET wrapped = ? WHERE number = 1", [.blob(rows[1].wrapped)])
        for id in [ids[0]] {
            let error = try #require(throws: ArchiveError.self) { try store.dataKey(id) }
            #expect(error.code == .damagedWrappedKey)
        }
        #expect(try store.dataKey(ids[1]).bytes != nil)
        let problems = try store.checkIntegrity()
        #expect(problems.count == 1)
        #expect(problems.first?.contains(ids[0].hex) == true)
        let error = try #require(throws: ArchiveError.self) {
            try disk.open().dataKeys(for: [StoreOnDisk.request(1)])
        }
        #expect(error.code == .damagedWrappedKey)
    }

    @Test func `a file that is not a key store is rejected`() throws {
        let disk = try StoreOnDisk()
        _ = try disk.directory.write([UInt8](repeating: 0x41, count: 4_096), to: "keys.db")
        let error = try #require(throws: ArchiveError.self) { try disk.open() }
        #expect(error.code == .keyStoreUnusable)
    }

    @Test func `a closed store rejects requests`() throws {
        let store = try StoreOnDisk().open()
        store.close()
        #expect(throws: ArchiveError.self) { try store.dataKeys(for: [StoreOnDisk.request(1)]) }
    }
}
