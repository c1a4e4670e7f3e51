import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Members of the entitlements' group that come and go.
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
                report.add("lost", group.count(logged: "partitions lost, their work is cancelled"))
                report.add("commits refused", group.count(logged: "commit refused"))
                // Some are asked to leave before the busy group has let them in: nothing is theirs to give back then.
                let late = "consumer not closed in time"
                report.add("left before they were in", group.count(logged: late))
                try await group.conclude(load, Array(members.values), report, mayLog: late)
            }
        }
    }
}
