import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Members join and leave the entitlements group.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct ConsumerMembershipOnApacheKafka {
        @Test(arguments: ConsumerGroup.Form.chosen)
        func `three members joining and leaving lose nothing and apply nothing twice`(
            _ form: ConsumerGroup.Form
        ) async throws {
            let time = Duration.seconds(TestScale.choose(short: 10, longTimes: 180))
            try await ConsumerGroup.open(form) { group, load in
                var members: [String: GroupMember] = [:]
                for name in ["0", "1", "2"] { members[name] = try await group.member(name) }
                var random = SeededGenerator(seed: 2)
                var leaves = 0
                try await load.run {
                    try await group.waitUntilHandling(Array(members.values))
                    let end = ContinuousClock.now + time
                    while ContinuousClock.now < end {
                        let turn = ContinuousClock.now
                        let name = "\(random.next() % 3)"
                        if let member = members[name], members.count > 1 {
                            try await member.leave()
                            members[name] = nil
                            leaves += 1
                        } else if members[name] == nil {
                            members[name] = try await group.member(name)
                        }
                        await pass(.milliseconds(500 + Int(random.next() % 2000)), since: turn)
                    }
                    for name in ["0", "1", "2"] where members[name] == nil {
                        members[name] = try await group.member(name)
                    }
                }
                #expect(leaves > 0)
                var report = FaultReport("three members joining and leaving, Apache Kafka with 3 brokers")
                report.add("for", time)
                report.add("leaves", leaves)
                report.add("assignments", group.count(logged: "partitions assigned"))
                report.add("revoked", group.count(logged: "partitions revoked"))
                report.add("lost", group.count(logged: "partitions lost; cancelling their work"))
                report.add("commits refused", group.count(logged: "commit refused"))
                // Some are stopped before the busy group lets them join, so they have nothing to revoke.
                let late = "consumer did not close in time"
                report.add("left before they were in", group.count(logged: late))
                try await group.conclude(load, Array(members.values), report, mayLog: late)
            }
        }

        @Test(arguments: [false, true])
        func `no partition moves when a static member restarts within its session`(isKilled: Bool) async throws {
            let restarts = TestScale.choose(short: 1, longTimes: 5)
            try await ConsumerGroup.open { group, load in
                let other = try await group.member("1", keepsPlace: true)
                var member = try await group.member("0", keepsPlace: true)
                var slowest = Duration.zero
                var ready: [Duration] = []
                try await load.run {
                    try await group.waitUntilHandling([member, other])
                    try await group.wait(for: member) {
                        await $0.partitions + other.partitions == group.assignedPartitions
                    }
                    let (own, rebalances) = (await member.partitions, other.rebalances)
                    for _ in 0..<restarts {
                        let start = ContinuousClock.now
                        if isKilled { try await member.die() } else { try await member.leave() }
                        member = try await group.member("0", keepsPlace: true)
                        try await group.wait(for: member) { await $0.isReady }
                        ready.append(ContinuousClock.now - start)
                        try await group.waitUntilHandling([member])
                        try await group.wait(for: member) { await $0.partitions == own }
                        slowest = max(slowest, ContinuousClock.now - start)
                        #expect(other.rebalances == rebalances, "\(other.process)")
                        #expect(await other.partitions == group.assignedPartitions - own)
                    }
                }
                #expect(other.rebalances.count > 0 && ready.allSatisfy { $0.keeps(.seconds(5)) })
                let end = isKilled ? "kill -9" : "SIGTERM"
                var report = FaultReport("restarts of a static member by \(end), Apache Kafka with 3 brokers")
                report.add("restarts", restarts)
                report.add("p50 until ready", ready.percentile(50))
                report.add("slowest until all its partitions are handled", slowest)
                try await group.conclude(load, [member, other], report)
            }
        }
    }
}

extension GroupMember {
    /// Returns its log messages about assigned, revoked and lost partitions.
    fileprivate var rebalances: [String] {
        process.log.compactMap(\.message).filter {
            $0 == "partitions assigned" || $0 == "partitions revoked"
                || $0 == "partitions lost; cancelling their work"
        }
    }
}
