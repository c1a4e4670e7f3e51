import AppStoreModel
import EntitlementRules
import Foundation
import Kafka
import Records
import TestSupport
import Testing

/// One record of the entitlements topic, without the parts that depend on the time of writing.
struct StatePublication: Sendable {
    let value: [UInt8]
    /// The joined facts as text.
    let facts: Data
    /// Number of notifications in its history.
    let events: Int

    /// Returns `nil` for a value that is not a state.
    init?(_ value: [UInt8]) {
        let data = Data(value)
        guard let name = data.range(of: Data(#""facts":"#.utf8)) else { return nil }
        self.value = value
        let facts = data[name.upperBound...]
        self.facts = facts
        // Each event ends with a comma.
        let list = facts.range(of: Data(#","events":""#.utf8)).map { facts[$0.upperBound...] } ?? Data()
        events = list.prefix { $0 != UInt8(ascii: "\"") }.count { $0 == UInt8(ascii: ",") }
    }
}

/// Everything that was published to the entitlements topic.
struct StatePublications: Sendable {
    /// The last publication of each key; `nil` for a value that is not a state.
    private(set) var last: [String: StatePublication?] = [:]
    private(set) var count = 0
    /// Publications with the same facts as the previous one.
    private(set) var repeated = 0
    /// Publications with fewer events than the previous one, from a member that was behind.
    private(set) var stale = 0

    init(of broker: Broker) async throws {
        for record in try await broker.records(of: broker.entitlements(.production)) {
            let key = String(decoding: record.key ?? [], as: UTF8.self)
            let publication = record.value.flatMap { StatePublication($0) }
            if let publication, let known = last[key] ?? nil {
                if publication.facts == known.facts { repeated += 1 }
                if publication.events < known.events { stale += 1 }
            }
            count += 1
            last[key] = .some(publication)
        }
    }
}

/// Compares the records written to the notification topic with the resulting state.
struct StateLedger: Sendable {
    let publications: StatePublications
    let written: Int
    let notifications: Int
    let purchases: Int
    /// notificationUUIDs missing from the state.
    let missing: Set<String>
    /// notificationUUIDs that the state contains twice, or that were never written.
    let surplus: [String]
    /// Keys whose state differs from the oracle's, with both states.
    let different: [String]

    init(_ load: RecordLoad, _ broker: Broker) async throws {
        publications = try await StatePublications(of: broker)
        written = load.written
        let oracle = load.oracle
        let all = oracle.notificationUUIDs
        notifications = all.count
        let expected = oracle.lines
        purchases = expected.count
        var seen: Set<String> = []
        var surplus: [String] = []
        var different: [String] = []
        for (key, publication) in publications.last {
            let found = publication.flatMap { StateOracle.lines(published: $0.value) } ?? []
            for line in found where line.hasPrefix("event ") {
                let uuid = String(line.split(separator: " ").last ?? "")
                if !seen.insert(uuid).inserted || !all.contains(uuid) { surplus.append(uuid) }
            }
            if found != expected[key] {
                different.append("\(key): \(found) instead of \(expected[key] ?? [])")
            }
        }
        missing = all.subtracting(seen)
        self.surplus = surplus
        self.different = different
    }

    /// Checks the invariants after every fault: nothing is missing, nothing is counted twice, and everything agrees
    /// with the oracle.
    func check(_ load: RecordLoad, _ told: Comment) {
        #expect(load.abandoned == 0, told)
        #expect(purchases > 0 && publications.last.count == purchases, told)
        #expect(missing == [], told)
        #expect(surplus == [], told)
        #expect(different.count == 0, "\(different.prefix(3)); \(told)")
    }

    /// Returns the disagreements between a member's read API and the topic, and notifications that are named twice as
    /// the cause of a change.
    func disagreements(with member: GroupMember) async throws -> [String] {
        let lanes = 8
        let keys = publications.last.keys.sorted()
        return try await withThrowingTaskGroup(of: [String].self) { tasks in
            for lane in 0..<lanes {
                tasks.addTask {
                    var lines: [String] = []
                    for index in stride(from: lane, to: keys.count, by: lanes) {
                        lines += try await disagreement(with: member, keys[index])
                    }
                    return lines
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    private func disagreement(with member: GroupMember, _ key: String) async throws -> [String] {
        let publication = publications.last[key] ?? nil
        let published = publication.flatMap { try? PurchaseFacts(published: $0.value) }?.events ?? []
        let expected = published.compactMap { $0.version.notificationUUID?.rawValue }
        let history = try await member.history(String(key.split(separator: "/").last ?? ""))
        let found = history?.objects("events").compactMap { $0.text("notificationUUID") } ?? []
        let causes = (history?.objects("transitions") ?? []).compactMap {
            $0.object("cause")?.text("notificationUUID")
        }
        if found != expected { return ["\(member.name), \(key): \(found) instead of \(expected)"] }
        let isSound = !causes.isEmpty && Set(causes).count == causes.count && Set(causes).isSubset(of: expected)
        return isSound ? [] : ["\(member.name), \(key): caused by \(causes)"]
    }

    func add(to report: inout FaultReport) {
        report.add("records", written)
        report.add("notifications", notifications)
        report.add("purchases", purchases)
        report.add("missing", missing.count)
        report.add("applied twice", surplus.count)
        report.add("other than the oracle", different.count)
        report.add("publications", publications.count)
        report.add("published twice", publications.repeated)
        report.add("published late", publications.stale)
    }
}

extension ConsumerGroup {
    /// Waits until the members have handled everything, and compares the written records with the topic, with each read
    /// API, and in the long form with an undisturbed run. Reports the figures and stops the members.
    ///
    /// - Parameters:
    ///   - readers: the readers of the run; if workers have none, one is started.
    ///   - repeats: whether to compare with the undisturbed run in the short form too.
    ///   - allowed: an error that members may have logged because of the fault; any other error fails the test.
    @discardableResult
    func conclude(
        _ load: RecordLoad, _ members: [GroupMember], readers: [GroupMember] = [], _ report: FaultReport,
        repeats: Bool = TestScale.isLong, mayLog allowed: String? = nil
    ) async throws -> StateLedger {
        let caughtUp = try await waitUntilCaughtUp(members)
        let ledger = try await StateLedger(load, broker)
        ledger.check(load, "\(members.map(\.process))")
        var answering = members.filter { $0.url != nil } + readers
        if answering.isEmpty { answering = [try await reader()] }
        for member in answering {
            var lines: [String] = []
            // Members follow the publications of others.
            let agrees = try await eventually(within: .seconds(20)) {
                lines = try await ledger.disagreements(with: member)
                return lines.isEmpty
            }
            #expect(agrees, "\(lines.count): \(lines.prefix(3)); \(member.process)")
        }
        for member in members + answering where member.process.ended == nil { try await member.leave() }
        let errors = errors.filter { $0.message != allowed }
        #expect(errors.isEmpty, "\(errors)")
        var report = report
        report.add("form", .text(TestScale.name))
        report.add("members", .text(form.rawValue))
        ledger.add(to: &report)
        if repeats { report.add("other than undisturbed", try await disagreements(with: ledger)) }
        report.add("writes repeated", load.repeats)
        report.add("lag 0 after", caughtUp)
        try report.publish()
        return ledger
    }

    /// Returns the number of purchases for which an undisturbed run gives another result.
    private func disagreements(with ledger: StateLedger) async throws -> Int {
        let undisturbed = try await undisturbed()
        let facts = ledger.publications.last.compactMapValues { $0?.facts }
        let different = facts.filter { undisturbed[$0.key] != $0.value }.keys.sorted()
        #expect(undisturbed.count == facts.count)
        #expect(different == [])
        return different.count
    }
}
