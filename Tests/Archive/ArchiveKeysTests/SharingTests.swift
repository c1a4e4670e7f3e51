import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import KafkaModel
import SQLite
import TestSupport
import Testing

/// Keys shared by all hosts: several key stores and one topic.
struct SharingTests {
    private func status(_ subject: Int, _ host: Hosts.Host) throws -> SubjectStatus {
        try host.store.status(of: host.store.mark(of: StoreOnDisk.subject(subject)))
    }

    @Test func `no record is encrypted under a key before the topic contains it`() throws {
        let hosts = try Hosts(1)
        let host = hosts.hosts[0]
        let sealing = try host.store.sealingKeys(for: [StoreOnDisk.request(1)])
        let mark = try host.store.mark(of: StoreOnDisk.subject(1))
        #expect(sealing.unpublished == [mark])
        // Publication alone is not enough, because another host's key may precede it.
        try hosts.publish(try host.store.publications(of: [mark]), host)
        #expect(try host.store.sealingKeys(for: [StoreOnDisk.request(1)]).unpublished == [mark])
        try hosts.followKeys(host)
        let after = try host.store.sealingKeys(for: [StoreOnDisk.request(1)])
        #expect(after.unpublished.isEmpty)
        #expect(after.protections.first?.sealing?.id == sealing.protections.first?.sealing?.id)
    }

    @Test func `two hosts that create keys at the same time use the first one in the topic, and keep both`()
        throws
    {
        let hosts = try Hosts(2)
        let (first, second) = (hosts.hosts[0], hosts.hosts[1])
        let mark = try first.store.mark(of: StoreOnDisk.subject(1))
        for host in hosts.hosts { _ = try host.store.sealingKeys(for: [StoreOnDisk.request(1)]) }
        let proposals = try [first, second].map { try #require(status(1, $0).keys.first) }
        #expect(proposals[0] != proposals[1])
        try hosts.publish(try second.store.publications(of: [mark]), second)
        try hosts.publish(try first.store.publications(of: [mark]), first)
        try hosts.settle()
        for host in hosts.hosts {
            #expect(try status(1, host).keys == [proposals[1], proposals[0]])
            let sealing = try host.store.sealingKeys(for: [StoreOnDisk.request(1)])
            #expect(sealing.protections.first?.sealing?.id == proposals[1])
            for id in proposals { #expect(try host.store.dataKey(id).bytes != nil) }
        }
        // Compaction keeps one record of the subject. It contains both keys.
        hosts.compact(before: .max)
        #expect(try status(1, try hosts.join()).keys == [proposals[1], proposals[0]])
    }

    @Test func `a key store of the previous version is published completely, and a joining host gets its keys`() throws
    {
        let disk = try StoreOnDisk()
        let before = try disk.open()
        let ids = try before.dataKeys(for: [1, 2, 3].map { StoreOnDisk.request($0) }).compactMap(\.sealing).map(\.id)
        try before.apply([try StoreOnDisk.record(.erase, 3, in: before)])
        before.close()
        // The file has the schema of the previous version.
        try disk.run("DROP TABLE shared_keys")
        try disk.run("DROP TABLE due_publications")
        try disk.run("DROP TABLE signed_heads")
        try disk.run("CREATE UNIQUE INDEX data_keys_in_use ON data_keys (mark) WHERE wrapping <> x'0000000000000000'")
        try disk.run("DELETE FROM store WHERE name LIKE 'keys.%' OR name = 'marks.due'")
        try disk.run("PRAGMA user_version = 1")
        let store = try disk.open(creation: .never)
        let due = try store.duePublications(limit: 10)
        #expect(due.count == 3, "two subjects, and the pseudonym key")
        let joined = try KeyStore(
            path: disk.directory.file("joined.db"), keys: disk.keys([0]), creation: .joining)
        #expect(try joined.isJoining)
        _ = try joined.follow(due, nextOffset: 3)
        #expect(try !joined.isJoining)
        for id in ids.prefix(2) { #expect(try joined.dataKey(id).bytes == store.dataKey(id).bytes) }
        // Only the erasures topic shows that a key was erased.
        #expect(try joined.dataKey(ids[2]).bytes == nil)
    }

    @Test func `records encrypted before the hosts shared keys stay readable on each of them`() throws {
        let disk = try StoreOnDisk()
        let stores = try (0..<2).map {
            try KeyStore(path: disk.directory.file("old-\($0).db"), keys: disk.keys([0]), creation: .ifMissing)
        }
        let ids = try stores.map { try #require(try $0.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing).id }
        let records = try stores.map { try $0.duePublications(limit: 10) }
        for store in stores { _ = try store.follow(records[0] + records[1], nextOffset: 4) }
        for store in stores {
            for id in ids { #expect(try store.dataKey(id).bytes != nil) }
            #expect(try store.sealingKeys(for: [StoreOnDisk.request(1)]).protections.first?.sealing?.id == ids[0])
        }
    }

    @Test func `an erasure destroys the keys on every host, and a tombstone removes them from the topic`() throws {
        let hosts = try Hosts(2)
        try hosts.seal(1, at: 1_000, on: hosts.hosts[0])
        try hosts.settle()
        let key = try #require(try status(1, hosts.hosts[1]).keys.first)
        #expect(try hosts.hosts[1].store.dataKey(key).bytes != nil)
        try hosts.decide(.erase, 1, at: 5_000)
        try hosts.settle()
        for host in hosts.hosts { #expect(try host.store.dataKey(key).isDestroyed) }
        hosts.compact(before: .max)
        let mark = Array(try hosts.hosts[0].store.mark(of: StoreOnDisk.subject(1)).hex.utf8)
        let left = hosts.keys.compactMap(\.self).filter { $0.key == mark }
        #expect(left.map(\.value) == [nil])
        // A host that joins later also learns that the key is destroyed, because an erasure names it.
        #expect(try hosts.join().store.dataKey(key).isDestroyed)
    }

    @Test func `a late tombstone does not destroy the key of records after the erasure`() throws {
        let hosts = try Hosts(2)
        let (first, late) = (hosts.hosts[0], hosts.hosts[1])
        try hosts.seal(1, at: 1_000, on: first)
        try hosts.settle()
        try hosts.decide(.erase, 1, at: 5_000)
        try hosts.followErasures(first)
        try hosts.seal(1, at: 6_000, on: first)
        let new = try #require(try status(1, first).keys.first)
        try hosts.followErasures(late)
        try hosts.publishDue(late)
        #expect(hosts.keys.last??.value == nil, "the late host does not have the new key")
        hosts.compact(before: .max)
        try hosts.settle()
        for host in hosts.hosts + [try hosts.join()] { #expect(try host.store.dataKey(new).bytes != nil) }
    }

    @Test func `a key that arrives after its erasure is destroyed, and a record lists it`() throws {
        let hosts = try Hosts(2)
        let (first, second) = (hosts.hosts[0], hosts.hosts[1])
        try hosts.decide(.erase, 1, at: 5_000)
        try hosts.followErasures(first)
        // The second host has not read the erasure yet.
        try hosts.seal(1, at: 1_000, on: second)
        let key = try #require(try status(1, second).keys.first)
        try hosts.followKeys(first)
        #expect(try first.store.dataKey(key).isDestroyed)
        #expect(hosts.erasures.contains { $0.action == .erase && $0.keys == [key] })
        try hosts.settle()
        #expect(try second.store.dataKey(key).isDestroyed)
        hosts.compact(before: .max)
        let left = hosts.keys.compactMap(\.self).compactMap(\.value).map { String(decoding: $0, as: UTF8.self) }
        #expect(!left.contains { $0.contains(key.hex) })
    }

    @Test func `an erasure that waited for a hold lists its keys when the hold ends`() throws {
        let hosts = try Hosts(2)
        try hosts.seal(1, at: 1_000, on: hosts.hosts[0])
        try hosts.decide(.hold, 1, at: 2_000)
        try hosts.decide(.erase, 1, at: 5_000)
        try hosts.settle()
        let key = try #require(try status(1, hosts.hosts[1]).keys.first)
        try hosts.decide(.release, 1, at: 6_000)
        try hosts.settle()
        for host in hosts.hosts { #expect(try host.store.dataKey(key).isDestroyed) }
        let named = try #require(hosts.erasures.last { $0.keys == [key] })
        #expect(named.action == .erase && named.requestedAt.millisecondsSince1970 == 5_000)
    }

    @Test func `payloads may be pruned if every key is known on this host and no subject is held`() throws {
        let hosts = try Hosts(2)
        let (first, second) = (hosts.hosts[0], hosts.hosts[1])
        for subject in 1...2 { try hosts.seal(subject, at: 1_000, on: first) }
        let ids = try (1...2).map { try #require(try status($0, first).keys.first) }
        #expect(try second.store.mayPrune([], hasHolds: true))
        #expect(try !second.store.mayPrune([ids[1]], hasHolds: true), "another host may know about the hold")
        try hosts.settle()
        #expect(try second.store.mayPrune(Set(ids), hasHolds: true))
        try hosts.decide(.hold, 1, at: 2_000)
        try hosts.settle()
        for host in hosts.hosts + [try hosts.join()] {
            #expect(try !host.store.mayPrune(Set(ids), hasHolds: true))
            #expect(try host.store.mayPrune([ids[1]], hasHolds: true))
        }
        try hosts.decide(.release, 1, at: 3_000)
        try hosts.settle()
        #expect(try second.store.mayPrune(Set(ids), hasHolds: true))
    }

    @Test func `a joining host makes the same pseudonyms as the others, with any of the key-encryption keys`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let old = try disk.open([0])
        let mark = try old.mark(of: StoreOnDisk.subject(1))
        old.close()
        let store = try disk.open([1, 0])
        try store.rewrap()
        let due = try store.duePublications(limit: 10)
        let joined = try KeyStore(path: disk.directory.file("joined.db"), keys: disk.keys([1]), creation: .joining)
        #expect(try joined.mark(of: StoreOnDisk.subject(1)) != mark)
        #expect(try joined.follow(due, nextOffset: 1).refused.isEmpty)
        #expect(try joined.mark(of: StoreOnDisk.subject(1)) == mark)
        #expect(joined.marksId == store.marksId)
        joined.close()
        let again = try KeyStore(path: disk.directory.file("joined.db"), keys: disk.keys([1]))
        #expect(try again.mark(of: StoreOnDisk.subject(1)) == mark)
    }

    @Test func `a store with keys rejects the pseudonym key of another installation`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let other = try KeyStore(path: disk.directory.file("other.db"), keys: disk.keys([1]), creation: .ifMissing)
        let store = try disk.open([0])
        _ = try store.dataKeys(for: [StoreOnDisk.request(1)])
        let marks = store.marksId
        let followed = try store.follow(try other.duePublications(limit: 0), nextOffset: 1)
        #expect(followed.applied == 0 && followed.refused.count == 1)
        #expect(store.marksId == marks)
    }

    @Test func `a damaged key is rejected, and a key with a missing key-encryption key is kept`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let source = try disk.open([0])
        let id = try #require(try source.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing).id
        let produced = try source.duePublications(limit: 10).map { $0.produced(to: "keys") }
        var damaged = try #require(produced.last)
        let text = String(decoding: try #require(damaged.value), as: UTF8.self)
        let at = try #require(text.range(of: #""wrapped":""#)).upperBound
        let digit: Character = text[at] == "0" ? "1" : "0"
        damaged.value = Array(text.replacingCharacters(in: at..<text.index(after: at), with: String(digit)).utf8)
        let joined = try KeyStore(path: disk.directory.file("joined.db"), keys: disk.keys([0]), creation: .ifMissing)
        let record = try ArchiveKeyRecord(ArchiveKeyRecordTests.read(damaged))
        #expect(try joined.follow([record], nextOffset: 1).refused.count == 1)
        #expect(try joined.counts().keys == 0)

        let keyless = try KeyStore(path: disk.directory.file("keyless.db"), keys: disk.keys([1]), creation: .ifMissing)
        let good = try ArchiveKeyRecord(ArchiveKeyRecordTests.read(try #require(produced.last)))
        #expect(try keyless.follow([good], nextOffset: 1).refused.isEmpty)
        let error = try #require(throws: ArchiveError.self) { try keyless.dataKey(id) }
        #expect(error.code == .wrongEncryptionKey)
    }

    @Test func `a key of one subject is not accepted for another`() throws {
        let hosts = try Hosts(1)
        let store = hosts.hosts[0].store
        try hosts.seal(1, at: 1_000, on: hosts.hosts[0])
        let mark = try store.mark(of: StoreOnDisk.subject(1))
        var produced = try #require(try store.publications(of: [mark]).first).produced(to: "keys")
        produced.key = Array(try store.mark(of: StoreOnDisk.subject(2)).hex.utf8)
        let record = try ArchiveKeyRecord(ArchiveKeyRecordTests.read(produced))
        #expect(try store.follow([record], nextOffset: 9).refused.count == 1)
        #expect(try status(2, hosts.hosts[0]).keys.isEmpty)
        #expect(try status(1, hosts.hosts[0]).keys.count == 1)
    }

    @Test func `a key that changed during publication is published again`() throws {
        let hosts = try Hosts(1)
        let store = hosts.hosts[0].store
        _ = try store.sealingKeys(for: [StoreOnDisk.request(1)])
        let due = try store.duePublications(limit: 10)
        try store.apply([try StoreOnDisk.record(.erase, 1, in: store)])
        try store.acknowledge(due)
        #expect(try store.duePublications(limit: 10).count == 1)
        try store.acknowledge(try store.duePublications(limit: 10))
        #expect(try store.duePublications(limit: 10).isEmpty)
    }

    @Test func `after a move to another cluster every key is published again`() throws {
        let hosts = try Hosts(1)
        let host = hosts.hosts[0]
        try hosts.seal(1, at: 1_000, on: host)
        try hosts.settle()
        #expect(try host.store.duePublications(limit: 10).isEmpty)
        #expect(try host.store.keysOffset(cluster: "another", low: 0, high: 2) == 0)
        #expect(try host.store.duePublications(limit: 10).count == 2)
        #expect(try host.store.sealingKeys(for: [StoreOnDisk.request(1)]).unpublished.count == 1)
    }

    @Test(arguments: 0..<6)
    func `after any order of events all hosts have the same keys, and no needed key is lost`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let hosts = try Hosts(3)
        var time: Int64 = 1_000
        for _ in 0..<150 {
            time += 1
            let host = try #require(hosts.hosts.randomElement(using: &random))
            let subject = Int.random(in: 1...4, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8: try hosts.seal(subject, at: time - Int64.random(in: 0..<10, using: &random), on: host)
            case 8..<11: try hosts.followKeys(host, atMost: Int.random(in: 1...4, using: &random))
            case 11..<14: try hosts.followErasures(host, atMost: Int.random(in: 1...2, using: &random))
            case 14..<16: try hosts.publishDue(host)
            case 16: try hosts.decide(.erase, subject, at: time)
            case 17: try hosts.decide(.hold, subject, at: time)
            case 18: try hosts.decide(.release, subject, at: time)
            default: hosts.compact(before: Int.random(in: 0...hosts.keys.count, using: &random))
            }
            if hosts.hosts.count < 5, Int.random(in: 0..<60, using: &random) == 0 { try hosts.join() }
        }
        try hosts.settle()
        hosts.compact(before: .max)
        try hosts.join()
        try hosts.settle()
        let named = Set(hosts.erasures.filter { $0.action == .erase }.flatMap(\.keys))
        for subject in 1...4 {
            let all = try hosts.hosts.map { try status(subject, $0) }
            for one in all {
                #expect(one.keys == all[0].keys)
                #expect(one.erasedUpToMilliseconds == all[0].erasedUpToMilliseconds)
                #expect(one.hold == all[0].hold)
            }
        }
        for (id, use) in hosts.sealed {
            for host in hosts.hosts {
                switch try host.store.dataKey(id) {
                case .unknown: Issue.record("key \(id) is lost on a host")
                case .usable: break
                case .destroyed:
                    #expect(named.contains(id), "no record reports the destroyed key of subject \(use.subject)")
                }
            }
        }
    }
}
