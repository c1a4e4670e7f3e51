import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import TestSupport
import Testing

extension EndToEnd {
    /// Members of the entitlements group are killed, lose their disks and are frozen, while notifications arrive twice
    /// and out of order. In the end, the topic must be the same as after an undisturbed run.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct StateStormsOnApacheKafka {
        /// Time limit after the last handled notification, within which the topic contains the results of all
        /// notifications. An owner looks for rows to repair every second, and a row that continues another is repaired
        /// after that one. In 30 storms on a busy machine this took six seconds at most.
        private static let bound = Duration.seconds(10)

        @Test(.timeLimit(.minutes(TestScale.choose(short: 3, longTimes: 60))))
        func `every storm ends with the same topic as an undisturbed run`() async throws {
            let storms = TestScale.choose(short: 1, longTimes: 30)
            var report = FaultReport("storms over a group of three, Apache Kafka with 3 brokers")
            var total = Storm.Figures()
            for seed in 1...UInt64(storms) {
                let figures = try await Storm.run(seed: seed, within: Self.bound)
                total.add(figures)
            }
            report.add("storms", storms)
            report.add("form", .text(TestScale.name))
            total.add(to: &report)
            try report.publish()
            #expect(total.different == 0 && total.untilEqual.allSatisfy { $0.keeps(Self.bound) })
        }
    }
}

/// One storm over a group of three members.
private struct Storm {
    /// Counts and durations of storms.
    struct Figures {
        var records = 0
        var rows = 0
        var successors = 0
        var kills = 0
        var lostDisks = 0
        var freezes = 0
        /// Rows that differed from the undisturbed run when the last notification had been handled.
        var differentAtFirst = 0
        /// Rows that still differed when the wait ended.
        var different = 0
        var untilEqual: [Duration] = []

        mutating func add(_ other: Figures) {
            records += other.records
            rows += other.rows
            successors += other.successors
            kills += other.kills
            lostDisks += other.lostDisks
            freezes += other.freezes
            differentAtFirst += other.differentAtFirst
            different += other.different
            untilEqual += other.untilEqual
        }

        func add(to report: inout FaultReport) {
            report.add("records", records)
            report.add("rows", rows)
            report.add("rows that continue another", successors)
            report.add("kills", kills)
            report.add("disks lost", lostDisks)
            report.add("members frozen", freezes)
            report.add("rows that differ at lag 0", differentAtFirst)
            report.add("rows that differ", different)
            report.add("p50 until equal", untilEqual.percentile(50))
            report.add("slowest", untilEqual.max())
        }
    }

    private let seed: UInt64
    private let group: ConsumerGroup
    private let notifications: StormNotifications
    private var random: SeededGenerator
    private var members: [GroupMember] = []
    private var figures = Figures()

    /// - Parameter bound: time limit until the topics are equal; the test waits twice as long.
    static func run(seed: UInt64, within bound: Duration) async throws -> Figures {
        var figures = Figures()
        try await ConsumerGroup.open { group, _ in
            let notifications = try StormNotifications(
                runs: TestScale.choose(short: 150, long: 250), seed: seed,
                to: group.broker.notifications(.production))
            var storm = Storm(
                seed: seed, group: group, notifications: notifications, random: SeededGenerator(seed: seed))
            let (calm, member) = try await group.undisturbed(notifications.signed, settings: settings)
            defer { calm.client.close() }
            try await storm.rage()
            try await storm.compare(with: calm, within: bound)
            try await member.leave()
            for member in storm.members { try await member.leave() }
            #expect(group.errors.isEmpty, "\(group.errors)")
            if TestScale.isLong { try await group.removeTopics() }
            figures = storm.figures
        }
        return figures
    }

    /// An answer computed from incomplete input is repeated within ten minutes. This setting disables these answers.
    private static let settings = ["--entitlements.outage.leeway", "0s"]

    /// The first member gets its partitions back. The other members' partitions move when their sessions expire.
    private func member(_ number: Int) async throws -> GroupMember {
        try await group.member(
            "\(number)", keepsPlace: number == 0,
            settings: Self.settings + ["--kafka.session.timeout.ms", "6000"])
    }

    /// Delivers the notifications while members are killed, most of them repeatedly, and one is frozen until its
    /// partitions have moved.
    private mutating func rage() async throws {
        for number in 0..<3 { members.append(try await member(number)) }
        try await group.wait(for: members[0]) { _ in
            await members.sum { await $0.partitions } == group.assignedPartitions
        }
        figures.records = notifications.delivered.count
        figures.successors = notifications.successors.count
        let time = Duration.seconds(TestScale.choose(short: 12, long: 20))
        let (broker, start) = (group.broker, ContinuousClock.now)
        async let delivery: Void = notifications.deliver(to: broker, within: time)
        let frozen = 1 + Int(random.next() % 2)
        try await members[frozen].process.freeze()
        figures.freezes += 1
        while ContinuousClock.now - start < time {
            let turn = ContinuousClock.now
            // The frozen member's session has expired by then.
            let isAwake = ContinuousClock.now - start > .seconds(8)
            if isAwake { members[frozen].process.signal(SIGCONT) }
            let others = [0, 1, 2].filter { $0 != frozen || isAwake }
            try await kill(others[Int(random.next() % UInt64(others.count))])
            await pass(.milliseconds(1000 + Int(random.next() % 1500)), since: turn)
        }
        members[frozen].process.signal(SIGCONT)
        try await delivery
    }

    private mutating func kill(_ index: Int) async throws {
        try await members[index].die()
        figures.kills += 1
        if random.next() % 3 == 0 {
            try FileManager.default.removeItem(atPath: group.directory(of: members[index].name))
            figures.lostDisks += 1
        }
        members[index] = try await member(index)
    }

    /// Compares the topics after every notification has been handled.
    private mutating func compare(with calm: ConsumerGroup, within bound: Duration) async throws {
        try await group.waitUntilDone(members, within: .seconds(90))
        let start = ContinuousClock.now
        var (states, expected) = (try await LastStates(group.broker), try await LastStates(calm.broker))
        var differences: [String: [String]]?
        let isEqual = try await eventually(within: bound * 2) {
            try await states.read()
            try await expected.read()
            let present = states.differences(from: expected)
            if differences == nil { figures.differentAtFirst = present.count }
            differences = present
            return present.isEmpty
        }
        figures.untilEqual.append(ContinuousClock.now - start)
        figures.rows = states.values.count
        figures.different = differences?.count ?? 0
        let keys = Set(notifications.delivered.map { String(decoding: $0.key ?? [], as: UTF8.self) })
        #expect(isEqual, "storm \(seed): \(differences ?? [:])")
        #expect(figures.rows == keys.count && !notifications.successors.isEmpty)
    }
}

extension [GroupMember] {
    fileprivate func sum(_ value: (GroupMember) async -> Int) async -> Int {
        var sum = 0
        for member in self { sum += await value(member) }
        return sum
    }
}
