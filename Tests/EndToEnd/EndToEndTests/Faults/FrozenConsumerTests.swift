import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A member of the entitlements group that does not notice its own freeze.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct FrozenConsumersOnApacheKafka {
        @Test(arguments: ConsumerGroup.Form.chosen)
        func `publications of a member frozen beyond its session do not persist`(
            _ form: ConsumerGroup.Form
        ) async throws {
            let times = TestScale.choose(short: 1, longTimes: 5)
            try await ConsumerGroup.open(form) { group, load in
                // The shortest session that brokers allow. The frozen member buffers publications for two seconds, so
                // it is frozen with some of them, and sends them after another member has published newer ones.
                let session = ["--kafka.session.timeout.ms", "6000", "--kafka.heartbeat.interval.ms", "1500"]
                let awake = try await group.member("awake", settings: session)
                let sleeper = try await group.member(
                    "sleeper",
                    settings: session + ["--kafka.linger.ms", "2000", "--kafka.delivery.timeout.ms", "300000"])
                var slept: [Duration] = []
                try await load.run {
                    for number in 1...times {
                        try await group.waitUntilHandling([awake, sleeper])
                        // Read from its log, because the metric counts work of lost partitions until it ends.
                        try await group.wait(for: sleeper) { $0.lastAssignment == "partitions assigned" }
                        try await load.wait(for: TestScale.choose(short: 150, long: 600))
                        try await sleeper.process.freeze()
                        let asleep = ContinuousClock.now
                        try await group.wait(for: awake) { await $0.partitions == ConsumerGroup.partitions + 1 }
                        // More input for the same purchases arrives.
                        try await load.wait(for: TestScale.choose(short: 200, long: 800))
                        sleeper.process.signal(SIGCONT)
                        slept.append(ContinuousClock.now - asleep)
                        try await group.wait(for: sleeper) {
                            $0.process.log.count { $0.message == GroupMember.lost } >= number
                        }
                    }
                    try await group.wait(for: sleeper) { $0.lastAssignment == "partitions assigned" }
                }
                let repaired = await awake.sum(of: "sluice_state_repaired_total") ?? 0
                var report = FaultReport("SIGSTOP of a member past its session, Apache Kafka with 3 brokers")
                report.add("times", times)
                report.add("longest sleep", slept.max())
                report.add("repaired by the owner", Int(repaired))
                let ledger = try await group.conclude(load, [awake, sleeper], report)
                // A freeze may end before the other member has published anything newer, or after the buffered
                // publications expired.
                if TestScale.isLong {
                    #expect(ledger.publications.stale > 0)
                    #expect(repaired > 0)
                }
            }
        }
    }
}

extension GroupMember {
    fileprivate static let lost = "partitions lost; cancelling their work"

    /// Returns its last log message about partitions.
    fileprivate var lastAssignment: String? {
        process.log.compactMap(\.message).last {
            ["partitions assigned", "partitions revoked", Self.lost].contains($0)
        }
    }
}
