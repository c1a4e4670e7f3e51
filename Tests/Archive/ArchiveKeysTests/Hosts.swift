import ArchiveKeys
import ArchiveLog
import KafkaModel
import TestSupport
import Testing

/// Hosts with their own key stores, and the two topics that they read. The topics are arrays from which compaction
/// removes records.
final class Hosts {
    final class Host {
        let store: KeyStore
        /// Next offset of the erasures topic.
        var erasuresNext = 0

        init(_ store: KeyStore) { self.store = store }
    }

    let disk: StoreOnDisk
    private(set) var hosts: [Host] = []
    /// Records of the keys topic; nil for a record removed by compaction.
    private(set) var keys: [KafkaRecord?] = []
    private(set) var erasures: [ErasureRecord] = []
    /// Keys that encrypted a record, with the record's subject and time.
    private(set) var sealed: [ArchiveKeyId: (subject: Int, time: Int64)] = [:]

    init(_ count: Int = 0) throws {
        disk = try StoreOnDisk()
        for _ in 0..<count { try join() }
    }

    /// Adds a host with only the key-encryption key.
    @discardableResult
    func join() throws -> Host {
        let path = disk.directory.file("host-\(hosts.count).db")
        let host = Host(
            try KeyStore(path: path, keys: disk.keys([0]), creation: hosts.isEmpty ? .ifMissing : .joining))
        hosts.append(host)
        try followKeys(host)
        try publishMarks(host)
        try followErasures(host)
        return host
    }

    private func publishMarks(_ host: Host) throws { try publish(try host.store.duePublications(limit: 0), host) }

    func publish(_ records: [ArchiveKeyRecord], _ host: Host) throws {
        for record in records {
            keys.append(
                ArchiveKeyRecordTests.read(record.produced(to: "keys"), at: Int64(keys.count)))
        }
        try host.store.acknowledge(records)
    }

    func publishDue(_ host: Host) throws { try publish(try host.store.duePublications(limit: 100), host) }

    /// Applies at most `count` records of the keys topic.
    func followKeys(_ host: Host, atMost count: Int = .max) throws {
        let start = Int(try host.store.keysOffset(cluster: "cluster", low: 0, high: Int64(keys.count)))
        let end = count < keys.count - start ? start + count : keys.count
        guard start < end else { return }
        let read = try keys[start..<end].compactMap { try $0.map { try ArchiveKeyRecord($0) } }
        erasures += try host.store.erasures(ofKeysIn: read)
        let followed = try host.store.follow(read, nextOffset: Int64(end))
        #expect(followed.refused.isEmpty)
    }

    func followErasures(_ host: Host, atMost count: Int = .max) throws {
        var left = count
        while host.erasuresNext < erasures.count, left > 0 {
            let record = erasures[host.erasuresNext]
            if let named = try host.store.record(namingKeysOf: record) { erasures.append(named) }
            host.erasuresNext += 1
            left -= 1
            try host.store.apply([record], nextOffset: Int64(host.erasuresNext))
        }
    }

    /// Encrypts a record as the service does, with a key that has been read back.
    func seal(_ subject: Int, at time: Int64, on host: Host) throws {
        let request = StoreOnDisk.request(subject, signedAt: time)
        for _ in 0..<3 {
            let sealing = try host.store.sealingKeys(for: [request])
            guard sealing.unpublished.isEmpty else {
                try publish(try host.store.publications(of: sealing.unpublished), host)
                try followKeys(host)
                continue
            }
            guard let key = sealing.protections.first?.sealing else { return }
            sealed[key.id] = (subject, max(time, sealed[key.id]?.time ?? .min))
            return
        }
        Issue.record("no key was read back")
    }

    func decide(_ action: ErasureRecord.Action, _ subject: Int, at time: Int64) throws {
        let host = try #require(hosts.first)
        erasures.append(try StoreOnDisk.record(action, subject, in: host.store, at: time))
    }

    /// Keeps only the newest record of each key before `end`.
    func compact(before end: Int) {
        var newest: [[UInt8]: Int] = [:]
        for index in 0..<min(end, keys.count) { if let key = keys[index]?.key { newest[key] = index } }
        for index in 0..<min(end, keys.count) {
            if let key = keys[index]?.key, newest[key] != index { keys[index] = nil }
        }
    }

    /// Runs all hosts until each has read everything and has nothing due.
    func settle() throws {
        for _ in 0..<30 {
            let before = (keys.count, erasures.count)
            for host in hosts {
                try followKeys(host)
                try followErasures(host)
                try publishDue(host)
            }
            if (keys.count, erasures.count) == before, try hosts.allSatisfy(isCurrent) { return }
        }
        Issue.record("the hosts never stop publishing")
    }

    private func isCurrent(_ host: Host) throws -> Bool {
        try host.erasuresNext == erasures.count
            && host.store.keysOffset(cluster: "cluster", low: 0, high: Int64(keys.count)) == Int64(keys.count)
    }
}
