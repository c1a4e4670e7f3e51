import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Members of the entitlements group are killed, on three brokers.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct ConsumerDeathsOnApacheKafka {
        @Test(arguments: ConsumerGroup.Form.allCases)
        func `repeatedly killed members lose nothing and apply nothing twice`(
            _ form: ConsumerGroup.Form
        ) async throws {
            let kills = TestScale.choose(short: 3, longTimes: 50)
            try await ConsumerGroup.open(form) { group, load in
                var members = [
                    try await group.member("0", keepsPlace: true), try await group.member("1", keepsPlace: true),
                ]
                var random = SeededGenerator(seed: 1)
                var recoveries: [Duration] = []
                var lostDisks = 0
                try await load.run {
                    try await group.waitUntilHandling(members)
                    for number in 1...kills {
                        try await load.wait(for: Int(random.next() % TestScale.choose(short: 50, long: 200)))
                        let index = Int(random.next() % 2)
                        let killed = ContinuousClock.now
                        try await members[index].die()
                        if number % 10 == 3 {
                            try FileManager.default.removeItem(atPath: group.directory(of: members[index].name))
                            lostDisks += 1
                        }
                        members[index] = try await group.member(members[index].name, keepsPlace: true)
                        // The next kill interrupts the member's work, or happens even earlier.
                        guard number % 4 != 0 else { continue }
                        try await group.waitUntilHandling([members[index]])
                        recoveries.append(ContinuousClock.now - killed)
                    }
                    try await group.waitUntilHandling(members)
                }
                var report = FaultReport("kill -9 of members of a group of two, Apache Kafka with 3 brokers")
                report.add("kills", kills)
                report.add("databases lost with them", lostDisks)
                report.add("p50 until records are handled again", recoveries.percentile(50))
                report.add("slowest", recoveries.max())
                try await group.conclude(load, members, report, repeats: true)
            }
        }

        @Test(arguments: ConsumerGroup.Form.chosen)
        func `repeatedly killing one of three brokers does not affect the state`(
            _ form: ConsumerGroup.Form
        ) async throws {
            let kills = TestScale.choose(short: 1, longTimes: 10)
            try await ConsumerGroup.open(form) { group, load in
                let members = [try await group.member("0"), try await group.member("1")]
                try await load.run {
                    try await group.waitUntilHandling(members)
                    for number in 0..<kills {
                        let node = number % 3 + 1
                        let killed = ContinuousClock.now
                        try await group.broker.remove(.killed, node: node)
                        try await load.wait(for: TestScale.choose(short: 50, long: 200))
                        await pass(.seconds(2), since: killed)
                        try await group.broker.bringBack(node: node)
                        try await group.broker.waitForReplicas()
                    }
                }
                var report = FaultReport("kill -9 of brokers under a group of two, Apache Kafka with 3 brokers")
                report.add("kills", kills)
                report.add("partitions lost", group.count(logged: "partitions lost; cancelling their work"))
                try await group.conclude(load, members, report)
            }
        }

        @Test func `a member killed while the topic refuses its states publishes them after its restart`() async throws
        {
            let kills = TestScale.choose(short: 1, longTimes: 5)
            try await ConsumerGroup.open { group, load in
                var member = try await group.member("0", keepsPlace: true)
                var refused = 0
                var published = 0.0
                for _ in 0..<kills {
                    try await load.run {
                        try await group.waitUntilHandling([member])
                        try await load.wait(for: TestScale.choose(short: 50, long: 200))
                        try await group.limitState(to: 100)
                        // Input continues in the meantime.
                        try await group.wait(for: member) {
                            await $0.sum(of: "sluice_state_oversized_total") ?? 0 >= 3
                        }
                    }
                    let ledger = try await StateLedger(load, group.broker)
                    let ahead = try await ledger.disagreements(with: member).count
                    try await member.die()
                    // The database is a prefix of the topic: no client receives data that is not in the topic.
                    #expect(ahead == 0)
                    #expect(ledger.missing.count > 0)
                    refused += ledger.missing.count
                    try await group.limitState(to: nil)
                    member = try await group.member("0", keepsPlace: true)
                    // All input is handled, and only the refused states remain. A partition that has not been restored
                    // yet reports no refused states, and a state that is refused again waits for a minute.
                    try await group.wait(for: member, within: .seconds(120)) {
                        let restored = $0.process.log.count { $0.message == "state restored" }
                        let kept = await $0.sum(of: "sluice_state_oversized_rows") ?? 1
                        return restored == group.assignedPartitions && kept == 0
                    }
                    published += await member.sum(of: "sluice_state_republished_total") ?? 0
                }
                #expect(published > 0)
                var report = FaultReport("kill -9 while the topic refuses states, Apache Kafka with 3 brokers")
                report.add("kills", kills)
                report.add("purchases of which the topic knew less", refused)
                report.add("published by the next run", Int(published))
                try await group.conclude(
                    load, [member], report,
                    mayLog: "state row exceeds the message size limit; the topic keeps its previous value")
            }
        }

        @Test(arguments: ConsumerGroup.Form.chosen)
        func `a member killed between publication and commit applies nothing again`(
            _ form: ConsumerGroup.Form
        ) async throws {
            let kills = TestScale.choose(short: 1, longTimes: 5)
            try await ConsumerGroup.open(form) { group, load in
                var again = 0
                var successor: GroupMember?
                for _ in 0..<kills {
                    try await successor?.leave()
                    // Automatic commits are effectively disabled during the test.
                    let member = try await group.member(
                        "0", keepsPlace: true, settings: ["--kafka.auto.commit.interval.ms", "600000"])
                    try await load.run {
                        try await group.waitUntilHandling([member])
                        try await load.wait(for: TestScale.choose(short: 100, long: 400))
                    }
                    try await group.waitUntilDone([member])
                    let published = try await StateLedger(load, group.broker)
                    let lag = try await group.lagRows().reduce(0) { $0 + ($1.end ?? 0) - ($1.committed ?? 0) }
                    try await member.die()
                    #expect(published.missing == [] && lag >= TestScale.choose(short: 100, long: 400))
                    again += lag

                    let next = try await group.member("0", keepsPlace: true)
                    _ = try await group.waitUntilCaughtUp([next])
                    let handled = await next.sum(of: "sluice_consumer_records_total")
                    let changed = await next.sum(of: "sluice_entitlements_purchases_changed_total")
                    #expect(handled == Double(lag) && changed == 0, "\(next.process)")
                    successor = next
                }
                var report = FaultReport("kill -9 between publication and commit, Apache Kafka with 3 brokers")
                report.add("kills", kills)
                report.add("records that came again", again)
                try await group.conclude(load, [try #require(successor)], report)
            }
        }
    }
}

extension ConsumerGroup {
    /// Limits the record size of the entitlements topic; `nil` removes the limit.
    fileprivate func limitState(to bytes: Int?) async throws {
        let topic = ["--entity-type", "topics", "--entity-name", broker.entitlements(.production).rawValue]
        let usual = broker.topics.state().first { $0.name == broker.topics.entitlements(.production) }?
            .settings["max.message.bytes"]
        let limit = try #require(bytes.map { "\($0)" } ?? usual)
        _ = try await broker.tool(
            "kafka-configs.sh", ["--alter", "--add-config", "max.message.bytes=\(limit)"] + topic)
    }
}
