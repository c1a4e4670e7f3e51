import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import TestSupport
import Testing

extension EndToEnd {
    /// Three hosts of one archive, killed while partitions move between them.
    @Suite(.enabled(if: WallClock.compiler != nil, "\(WallClock.absence)")) struct ArchiveHostsOnTheEmbeddedBroker {
        @Test func `killed hosts and one with an empty disk agree on records held, erased and deleted`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: HostStory.partitions)
                let app = try await harness.simulatedApp()
                var story = HostStory(
                    hosts: try await ArchiveHosts(harness, broker, app),
                    ingress: try await harness.ingress(on: broker, for: app),
                    bodies: try NotificationSupply.bodies(
                        HostStory.notifications, pki: harness.path("pki"), seed: 1))
                try await story.play()
                try await story.conclude()
            }
        }
    }
}

/// The life cycle of an archive: notifications, kills, a hold, two erasures and the end of the retention period. Every
/// host must agree on the result.
private struct HostStory {
    static let partitions = 3
    static let notifications = 2200
    private static let day = 86_400
    /// Number of leaves per segment.
    private static let width = 256

    let hosts: ArchiveHosts
    let ingress: Ingress
    let bodies: [[UInt8]]
    private var posted = 0
    private var random = SeededGenerator(seed: 1)
    private var kills = 0
    private var lostKeyStores = 0
    /// Keys of records, grouped by the decision about their purchase.
    private var held = ""
    private var erased: [String] = []
    /// Records with an expired retention period, by partition.
    private var expired: [Int] = []
    /// Verifications that ran during the retention runs.
    private var audited = ArchiveAudit.Outcome()

    init(hosts: ArchiveHosts, ingress: Ingress, bodies: [[UInt8]]) {
        (self.hosts, self.ingress, self.bodies) = (hosts, ingress, bodies)
    }

    private var topic: KafkaTopic { hosts.broker.notifications(.production) }

    mutating func play() async throws {
        try await hosts.start(0)
        try await post(400)
        for host in 1...2 { try await hosts.start(host) }
        let kills = TestScale.choose(short: 4, longTimes: 30)
        for number in 0..<kills {
            try await kill(number, posting: 800 / kills)
        }
        try await post(600)
        try await hosts.waitUntilArchived(topic)
        try await decide()
        for number in kills..<kills + 2 { try await kill(number, posting: 100) }
        try await hosts.waitUntilArchived(topic)
        let audit = ArchiveAudit(hosts)
        async let outcome = audit.run()
        try await waitUntil(within: .seconds(120)) { audit.outcome.runs > 0 }
        try await expire()
        // The record of a deletion is archived after the segment is gone; until then, the deletion is not counted.
        try await waitUntil(within: .seconds(120)) { audit.outcome.deletedSegments.max() ?? 0 > 0 }
        audit.end()
        audited = try await outcome
        try await joinFromNothing()
    }

    // MARK: Notifications and kills

    private mutating func post(_ count: Int) async throws {
        let client = HTTPClient()
        defer { client.close() }
        for body in bodies[posted..<posted + count] {
            let answer = try await ingress.post(body, with: client)
            try #require(answer.status == 200)
        }
        posted += count
    }

    /// Posts while one of the hosts is killed and restarted, every third time without its key store. The next kill
    /// follows at once, or after the partitions have moved and everything is archived.
    private mutating func kill(_ number: Int, posting count: Int) async throws {
        let host = Int(random.next() % 3)
        try await post(count / 2)
        try await hosts.kill(host, losesKeys: number % 3 == 1)
        if number % 3 == 1 { lostKeyStores += 1 }
        kills += 1
        try await post(count - count / 2)
        try await hosts.start(host)
        if number % 2 == 1 { try await hosts.waitUntilArchived(topic) }
    }

    // MARK: Decisions

    /// Returns the keys of a partition's records in offset order.
    private func keys() async throws -> [[String]] {
        var keys = [[String]](repeating: [], count: Self.partitions)
        try await hosts.broker.read(topic) { records in
            for record in records {
                keys[Int(record.partition.rawValue)].append(String(decoding: record.key ?? [], as: UTF8.self))
            }
        }
        return keys
    }

    /// Holds one purchase and erases two, distributed over three hosts.
    private mutating func decide() async throws {
        let keys = try await keys()
        // Only the first segment contains the purchase, so its partition loses the second one.
        let partition = try #require(keys.indices.max { keys[$0].count < keys[$1].count })
        try #require(keys[partition].count >= 2 * Self.width)
        let later = Set(keys[partition][Self.width...])
        held = try #require(keys[partition][..<Self.width].first { !later.contains($0) })
        let other = (partition + 1) % Self.partitions
        erased = [
            try #require(keys[partition][..<Self.width].first { $0 != held }), try #require(keys[other].first),
        ]
        try await decide(1, ["hold"] + purchase(held))
        try await decide(2, ["erase"] + purchase(erased[0]))
        try await decide(0, ["erase", "--notification-uuid", try await notificationUUID(of: erased[1])])
    }

    private func purchase(_ key: String) -> [String] {
        let parts = key.split(separator: "/").map(String.init)
        return ["--app", parts.first ?? "", "--original-transaction-id", parts.last ?? ""]
    }

    private func notificationUUID(of key: String) async throws -> String {
        let record = try await hosts.broker.records(of: topic).first { $0.key.map { Array($0) } == Array(key.utf8) }
        return try #require(record?.header("ce_id")?.text)
    }

    private func decide(_ host: Int, _ arguments: [String]) async throws {
        let decision = try await hosts.run(host, arguments + ["--author", "a.officer", "--request", "CASE-8", "--yes"])
        try #require(decision.end == .exit(0), "\(decision)")
    }

    // MARK: Retention

    /// Ends the retention of everything archived so far: a run announces, a host is killed, a run a day later begins to
    /// delete, and another host is killed.
    private mutating func expire() async throws {
        expired = try await keys().map(\.count)
        try await pass(days: 401)
        for partition in 0..<Self.partitions {
            try await waitUntil(within: .seconds(60)) {
                hosts.retention(topic, partition)?.contains("\nannounced ") == true
            }
        }
        try await hosts.kill(1)
        kills += 1
        try await pass(days: 403)
        try await waitUntil(within: .seconds(60)) {
            (0..<Self.partitions).contains { hosts.retention(topic, $0)?.contains("\nminimum 0\n") == false }
        }
        try await hosts.kill(2)
        kills += 1
        try await hosts.start(1)
        try await hosts.start(2)
        let remaining = try await unexpired()
        for partition in 0..<Self.partitions {
            for segment in 0..<expired[partition] / Self.width where !remaining[partition].contains(segment) {
                try await waitUntil(within: .seconds(60)) { !hosts.hasSegment(segment, topic, partition) }
            }
        }
        try await hosts.waitUntilArchived(topic)
    }

    /// Moves the hosts' clock, then delivers the first record of each partition and of each erased purchase again.
    private func pass(days: Int) async throws {
        try hosts.clock.set(offset: days * Self.day)
        let time = Int64(Date().timeIntervalSince1970 * 1000) + Int64(days * Self.day) * 1000
        let records = try await hosts.broker.records(of: topic)
        let first = (0..<Self.partitions).compactMap { partition in
            records.first {
                Int($0.partition.rawValue) == partition
                    && !erased.contains(String(decoding: $0.key ?? [], as: UTF8.self))
            }
        }
        let again = erased.compactMap { key in records.first { $0.key.map { Array($0) } == Array(key.utf8) } }
        try await hosts.broker.write(
            (first + again).map { record in
                var copy = KafkaProducerRecord(
                    topic: topic, timestampMilliseconds: time, key: record.key, value: record.value,
                    headers: record.headers)
                copy.partition = record.partition
                return copy
            })
    }

    /// Returns the full segments of each partition that are held, and those that have not expired.
    private func unexpired() async throws -> [Set<Int>] {
        try await keys().enumerated().map { partition, keys in
            let full = expired[partition] / Self.width
            return Set(
                (0..<keys.count / Self.width).filter { segment in
                    segment >= full || keys[segment * Self.width..<(segment + 1) * Self.width].contains(held)
                })
        }
    }

    // MARK: A new host

    /// Kills all hosts. One with an empty key store archives alone, and then the others are restarted.
    private mutating func joinFromNothing() async throws {
        for host in 0...2 { try await hosts.kill(host) }
        kills += 3
        try await hosts.start(3)
        try await post(200)
        try await hosts.waitUntilArchived(topic)
        for host in 0...2 { try await hosts.start(host) }
    }

    // MARK: Comparison

    func conclude() async throws {
        let remaining = try await unexpired()
        let keys = try await keys()
        let kept = zip(remaining, expired).map { segments, count in
            segments.count { $0 < count / Self.width }
        }.reduce(0, +)
        let full = expired.map { $0 / Self.width }.reduce(0, +)
        #expect(kept == 1 && full > 3, "\(kept) of \(full) segments were kept")
        for (partition, count) in expired.enumerated() {
            for segment in 0..<count / Self.width {
                #expect(hosts.hasSegment(segment, topic, partition) == remaining[partition].contains(segment))
            }
        }
        let named = try await names()
        var exports: [String] = []
        for host in 0...3 {
            let export = try await export(host)
            let rows = try export.jsonLines
            #expect(rows.count == keys.map(\.count).reduce(0, +))
            for row in rows { check(row, keys, named, remaining, host) }
            exports.append(export.output)
            try await verify(host, deleted: full - kept)
        }
        #expect(exports.allSatisfy { $0 == exports[0] }, "every host exports the same")
        #expect(audited.alarms.isEmpty, "\(audited.alarms)")
        #expect(
            audited.missing.isSubset(of: [
                "the segment is missing, and no archived retention record covers its deletion"
            ]), "\(audited.missing)")
        #expect(audited.deletedSegments.contains(0), "a verification ran before the first deletion")
        #expect(audited.deletedSegments.max() ?? 0 > 0, "a verification ran after the first deletion")
        #expect(hosts.errors.isEmpty, "\(hosts.errors)")
        var report = FaultReport("kill -9 of three hosts of an archive, embedded broker")
        report.add("kills", kills)
        report.add("key stores lost", lostKeyStores)
        report.add("assignments", hosts.assignments)
        report.add("records", keys.map(\.count).reduce(0, +))
        report.add("segments deleted", full - kept)
        report.add("segments held", kept)
        report.add("verifications beside the retention", audited.runs)
        report.add("of them incomplete", audited.incomplete)
        report.add("false alarms", audited.alarms.count)
        try report.publish()
        try await hosts.stop()
    }

    /// Returns the notificationUUIDs of the records, by partition and offset.
    private func names() async throws -> [[String]] {
        var names = [[String]](repeating: [], count: Self.partitions)
        try await hosts.broker.read(topic) { records in
            for record in records { names[Int(record.partition.rawValue)].append(record.header("ce_id")?.text ?? "") }
        }
        return names
    }

    private func export(_ host: Int) async throws -> Finished {
        let export = try await hosts.run(host, ["export", "--environment", "production", "--author", "an.auditor"])
        try #require(export.end == .exit(0), "host \(host): \(export.end) \(export.errors)")
        return export
    }

    private func check(
        _ row: JSON.Object, _ keys: [[String]], _ names: [[String]], _ remaining: [Set<Int>], _ host: Int
    ) {
        guard let partition = row.integer("partition").map({ Int($0) }),
            let offset = row.integer("offset").map({ Int($0) }),
            keys.indices.contains(partition), keys[partition].indices.contains(offset)
        else {
            Issue.record("host \(host): a row without a record: \(row)")
            return
        }
        let (segment, content) = (offset / Self.width, row.text("content"))
        let isDeleted = segment < expired[partition] / Self.width && !remaining[partition].contains(segment)
        let isErased = erased.contains(keys[partition][offset])
        var expected: Set<String?> = [isDeleted ? "expired" : isErased ? "erased" : nil]
        // These records were erased on arrival.
        if isErased { expected.insert("erased") }
        #expect(expected.contains(content), "host \(host), partition \(partition), offset \(offset)")
        if content == nil {
            #expect(row.text("notificationUUID") == names[partition][offset])
            #expect(row.text("signedPayload") != nil)
        } else {
            #expect(row.text("notificationUUID") == nil && row.text("signedPayload") == nil)
        }
    }

    /// Verifies the tree, signatures (including Apple's), deletions and payloads on a host.
    private func verify(_ host: Int, deleted: Int) async throws {
        var last: Finished?
        // The newest checkpoints are anchored within two seconds; until then the exit code is 3.
        _ = try await eventually(within: .seconds(30)) {
            let verified = try await hosts.run(
                host,
                ["verify", "--payloads", "--checkpoint-from", "topic", "--output", "json"] + ArchiveAudit.retention
                    + hosts.verification)
            last = verified
            return verified.end != .exit(3)
        }
        let findings = try last?.json.objects("findings").prefix(5).map { "\($0)" } ?? []
        #expect(last?.end == .exit(0), "host \(host): \(findings) \(last?.errors ?? "")")
        #expect(try last?.json.integer("deletedSegments") == Int64(deleted), "host \(host)")
        let payloads = try #require(last).json.object("payloads")
        #expect(payloads?.integer("missing") == 0, "host \(host): \(payloads ?? [:])")
        #expect(payloads?.integer("erased") ?? 0 > 0, "host \(host): \(payloads ?? [:])")
    }
}
